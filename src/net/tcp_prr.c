// SPDX-License-Identifier: MIT
#include "net/tcp_prr.h"

static uint32_t least(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

void cor_tcp_prr_init(struct cor_tcp_prr *prr, uint32_t flight_bytes) {
    prr->arrived_bytes = 0;
    prr->halved_again = false;
    prr->flight_bytes = flight_bytes != 0 ? flight_bytes : 1;
}

uint32_t cor_tcp_prr_window(const struct cor_tcp_prr *prr, const struct cor_tcp_prr_now *now) {
    uint32_t room;

    if (now->pipe_bytes > now->threshold_bytes) {
        // In proportion, rounded up.
        uint64_t part = (uint64_t)prr->arrived_bytes * now->threshold_bytes;
        uint64_t share = (part + prr->flight_bytes - 1) / prr->flight_bytes;

        room = share > now->sent_bytes ? (uint32_t)(share - now->sent_bytes) : 0;
    } else {
        uint32_t owed =
            prr->arrived_bytes > now->sent_bytes ? prr->arrived_bytes - now->sent_bytes : 0;

        owed = owed > now->arrived_bytes ? owed : now->arrived_bytes;
        room = least(now->threshold_bytes - now->pipe_bytes, owed + now->bonus_bytes);
    }
    return now->pipe_bytes + room;
}
