// SPDX-License-Identifier: MIT
#include "net/tcp_rtt.h"

// Specified: RFC 6298 2.1 (1 s before the first sample), 2.5 (a maximum of at least 60 s), 5.7
// (3 s after a lost SYN). The granularity is our choice of clock.
#define RTO_FIRST_US    1000000U
#define RTO_MAX_US      60000000U
#define RTO_SYN_LOST_US 3000000U
#define GRANULARITY_US  1000U
#define SAMPLE_MAX_US   RTO_MAX_US

void cor_tcp_rtt_init(struct cor_tcp_rtt *rtt, uint32_t floor_us) {
    rtt->srtt_us = 0;
    rtt->rttvar_us = 0;
    rtt->rto_us = RTO_FIRST_US;
    rtt->floor_us = floor_us;
    rtt->min_us = UINT32_MAX;
    rtt->backoff = 0;
}

void cor_tcp_rtt_sample(struct cor_tcp_rtt *rtt, uint32_t sample_us) {
    uint32_t sample = sample_us < SAMPLE_MAX_US ? sample_us : SAMPLE_MAX_US;

    sample = sample != 0 ? sample : 1;
    rtt->min_us = sample < rtt->min_us ? sample : rtt->min_us;
    if (rtt->srtt_us == 0) {
        rtt->srtt_us = sample;
        rtt->rttvar_us = sample / 2;
    } else {
        // RFC 6298 2.3, alpha 1/8 and beta 1/4, rounded to nearest.
        uint32_t error = sample > rtt->srtt_us ? sample - rtt->srtt_us : rtt->srtt_us - sample;

        rtt->rttvar_us = (3 * rtt->rttvar_us + error + 2) / 4;
        rtt->srtt_us = (7 * rtt->srtt_us + sample + 4) / 8;
    }
    uint32_t spread = 4 * rtt->rttvar_us;
    uint32_t rto = rtt->srtt_us + (spread > GRANULARITY_US ? spread : GRANULARITY_US);
    rto = rto > rtt->floor_us ? rto : rtt->floor_us;
    rtt->rto_us = rto < RTO_MAX_US ? rto : RTO_MAX_US;
}

void cor_tcp_rtt_syn_lost(struct cor_tcp_rtt *rtt) {
    if (rtt->srtt_us == 0 && rtt->rto_us < RTO_SYN_LOST_US) {
        rtt->rto_us = RTO_SYN_LOST_US;
    }
}

uint32_t cor_tcp_rtt_timeout_us(const struct cor_tcp_rtt *rtt) {
    uint32_t timeout = rtt->rto_us;

    for (uint32_t i = 0; i < rtt->backoff && timeout < RTO_MAX_US; i++) {
        timeout *= 2;
    }
    return timeout < RTO_MAX_US ? timeout : RTO_MAX_US;
}
