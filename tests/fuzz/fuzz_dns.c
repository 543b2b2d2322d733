// SPDX-License-Identifier: MIT
// Fuzz: any bytes as a DNS message, and any text as a name.
#include "fuzz.h"
#include "wire/dns.h"

#include <string.h>

// A name that can be read is equal to itself, and has a length.
static void check_name(const struct cor_dns_message *message, uint32_t at) {
    uint8_t name[COR_DNS_NAME_BYTES_MAX];
    int32_t size = cor_dns_name_read(message, at, name);

    if (size < 0) {
        return;
    }
    FUZZ_CHECK(size > 0 && size <= COR_DNS_NAME_BYTES_MAX && name[size - 1] == 0);
    FUZZ_CHECK(cor_dns_name_bytes(name) == (uint32_t)size);
    FUZZ_CHECK(cor_dns_name_is(message, at, name));
    FUZZ_CHECK(cor_dns_name_equal(name, name));
}

static void check_message(const uint8_t *data, uint32_t size) {
    struct cor_dns_message message;
    struct cor_dns_question question;
    struct cor_dns_record record;

    if (cor_dns_parse(&message, data, size) != COR_OK) {
        return;
    }
    for (uint32_t i = 0; i < message.header.question_count; i++) {
        if (cor_dns_parse_question(&message, &question) != COR_OK) {
            return;
        }
        check_name(&message, question.name);
    }
    uint32_t count = (uint32_t)message.header.answer_count + message.header.authority_count +
                     message.header.additional_count;
    for (uint32_t i = 0; i < count; i++) {
        if (cor_dns_parse_record(&message, &record) != COR_OK) {
            return;
        }
        FUZZ_CHECK(message.at <= size && record.data + record.data_bytes == message.at);
        check_name(&message, record.name);
        check_name(&message, record.data);
        fuzz_touch(data + record.data, record.data_bytes);
    }
}

static void check_text(const uint8_t *data, size_t size) {
    char text[300];
    uint8_t name[COR_DNS_NAME_BYTES_MAX];

    size = size < sizeof(text) - 1 ? size : sizeof(text) - 1;
    memcpy(text, data, size);
    text[size] = '\0';
    int32_t bytes = cor_dns_name_from_text(text, name);
    FUZZ_CHECK(bytes < 0 || cor_dns_name_bytes(name) == (uint32_t)bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    check_message(data, (uint32_t)size);
    if (size > 0) {
        check_text(data, size);
    }
    return 0;
}
