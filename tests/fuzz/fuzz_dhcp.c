// SPDX-License-Identifier: MIT
// Fuzz: any bytes as a DHCP message.
#include "fuzz.h"
#include "wire/dhcp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct cor_dhcp_reply reply;

    if (cor_dhcp_parse(&reply, data, (uint32_t)size) != COR_OK) {
        return 0;
    }
    // What a span names is there to be read.
    fuzz_touch(reply.domain.data, reply.domain.size_bytes);
    fuzz_touch(reply.client_id.data, reply.client_id.size_bytes);
    FUZZ_CHECK(reply.router_count <= COR_DHCP_LIST_MAX && reply.dns_count <= COR_DHCP_LIST_MAX);
    FUZZ_CHECK(reply.ntp_count <= COR_DHCP_LIST_MAX && reply.type != 0);
    return 0;
}
