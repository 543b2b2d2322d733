// SPDX-License-Identifier: MIT
// ICMP errors about our segments, RFC 9293 3.9.2.2, believed as far as RFC 5927 allows.
#include "net/tcp_parts.h"

#include "coradio/bytes.h"

// An error is believed only if it quotes what is in flight, which nobody off the path knows
// (RFC 5927 4.1). Port or protocol unreachable ends an attempt to connect (MUST-54). Everything
// else, and an open connection, goes on (MUST-56, RFC 5927 5.2): the application is told (MUST-47),
// and its time-outs are the bound.
void cor_tcp_icmp_error(
    struct cor_net *net,
    const struct cor_icmp *icmp,
    const struct cor_ipv4 *ip,
    const uint8_t *quoted) {
    struct cor_tcp_header header = {
        .from_port = cor_get_be16(quoted + 2),
        .to_port = cor_get_be16(quoted),
    };
    struct cor_tcp *tcp = cor_tcp_find(net, &header, ip->to);
    uint32_t seq = cor_get_be32(quoted + COR_TCP_SEQ);

    if (tcp == NULL || cor_seq_before(seq, tcp->snd_una) || !cor_seq_before(seq, tcp->snd_max)) {
        return;
    }
    bool hard = icmp->type == COR_ICMP_UNREACHABLE && (icmp->code == COR_ICMP_UNREACHABLE_PORT ||
                                                       icmp->code == COR_ICMP_UNREACHABLE_PROTOCOL);
    if (hard && tcp->state == COR_TCP_SYN_SENT) {
        cor_tcp_end(tcp, COR_E_REFUSED);
        return;
    }
    if (icmp->type == COR_ICMP_UNREACHABLE && icmp->code == COR_ICMP_UNREACHABLE_TOO_BIG) {
        cor_tcp_pmtu_claimed(tcp, seq, icmp->sequence, ip->total_bytes);
        return;
    }
    tcp->counters.soft_errors++;
    cor_tcp_note(tcp, COR_TCP_EVENT_SOFT_ERROR);
}
