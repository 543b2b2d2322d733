// SPDX-License-Identifier: MIT
// TLP (RFC 8985 7): what is lost at the end of a burst is followed by nothing that would tell.
// After two round trips of silence one segment goes out, new or the last once more, so that the
// answer shows what is missing; the time-out stands behind it.
#include "net/tcp_parts.h"
#include "net/tcp_rtt.h"

// What the peer may add to a lone segment's round trip by delaying its acknowledgement, specified
// (RFC 8985 7.2, TLP.max_ack_delay).
#define ACK_DELAY_MAX_US 200000U
// Before there is a round trip, specified (RFC 8985 7.2).
#define FIRST_US 1000000U

static uint64_t latest(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

// One probe for a silence; not while losses are repaired.
static bool may_probe(const struct cor_tcp *tcp) {
    return (tcp->flags & COR_TCP_SACK_ON) != 0 && tcp->doubt.recovery == COR_TCP_NO_RECOVERY &&
           tcp->doubt.sacked_count == 0 && tcp->flight_count != 0 &&
           !tcp->doubt.probe_outstanding && !tcp->tlp.due;
}

// Counted from what was sent or acknowledged last, so that neither has to set the deadline.
// allow_us is what the peer's delay of an acknowledgement may add.
static uint64_t due_us(const struct cor_tcp *tcp, uint64_t allow_us) {
    uint64_t wait_us = allow_us + (tcp->rtt.srtt_us != 0 ? 2ULL * tcp->rtt.srtt_us : FIRST_US);

    uint64_t due = latest(tcp->sent_us, tcp->progress_us) + wait_us;
    return due < tcp->retransmit_us ? due : tcp->retransmit_us;
}

void cor_tcp_tlp_arm(struct cor_tcp *tcp) {
    if (tcp->loss_us == COR_NET_NEVER && may_probe(tcp)) {
        tcp->doubt.reordering = false;
        tcp->loss_us = due_us(tcp, 0);  // others may follow a lone segment until then
        cor_net_wake(tcp->socket.net, tcp->loss_us);
    }
}

void cor_tcp_tlp_due(struct cor_tcp *tcp, uint64_t now_us) {
    tcp->loss_us = COR_NET_NEVER;
    // And one for a round trip measured, or probes would answer each other.
    if (!may_probe(tcp) || tcp->tlp.samples == (uint32_t)tcp->counters.rtt_samples) {
        return;
    }
    uint64_t due = due_us(tcp, tcp->flight_count == 1 ? ACK_DELAY_MAX_US : 0);
    if (now_us < due) {
        tcp->loss_us = due;
        return;
    }
    tcp->tlp.due = true;
    tcp->socket.wants |= COR_NET_PASS_RETRANSMIT;
    cor_tcp_arm(tcp, now_us);
}

void cor_tcp_tlp_sent(struct cor_tcp *tcp, bool again) {
    struct cor_tcp_tlp *tlp = &tcp->tlp;

    tcp->doubt.probe_outstanding = true;
    tlp->again = again;
    tlp->acknowledged = false;
    tlp->end_seq = tcp->snd_nxt;
    tlp->samples = (uint32_t)tcp->counters.rtt_samples;
    tcp->counters.loss_probes++;
}

void cor_tcp_tlp_forget(struct cor_tcp *tcp) {
    tcp->tlp.due = false;
    tcp->doubt.probe_outstanding = false;
}

bool cor_tcp_tlp_acked(struct cor_tcp *tcp, bool bare) {
    struct cor_tcp_tlp *tlp = &tcp->tlp;

    if (cor_seq_before(tcp->snd_una, tlp->end_seq)) {
        return false;
    }
    if (!tlp->again || tlp->acknowledged || bare) {
        tcp->doubt.probe_outstanding = false;  // nothing was lost
        return false;
    }
    if (tcp->snd_una == tlp->end_seq) {
        return false;  // one has arrived; whether both did is not told yet
    }
    tcp->doubt.probe_outstanding = false;
    return true;
}
