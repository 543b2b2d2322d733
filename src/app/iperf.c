// SPDX-License-Identifier: MIT
#include <stddef.h>
#include <string.h>

#include "coradio/app_iperf.h"
#include "coradio/bytes.h"

// Flags of the header, read from public code (iperf 2.1.8, include/payloads.h).
#define FLAG_VERSION1     0x80000000u
#define FLAG_EXTENDED     0x40000000u
#define FLAG_KEY          0x10000000u
#define FLAG_64_BIT       0x08000000u
#define FLAG_VERSION2     0x04000000u
#define FLAG_VERSION_ASK  0x02000000u
#define FLAG_BOUNCE       0x00800000u
#define FLAG_LENGTH       0x00010000u
#define LENGTH_OF(flags)  (((flags)&0x1FEu) >> 1)
#define FLAGS_OF_A_HEADER (FLAG_VERSION1 | FLAG_EXTENDED | FLAG_VERSION2)
#define EXTENDED_BYTES    60
#define UPPER_OFFSET      32
#define UPPER_REVERSE     0x0400u
#define UPPER_DUPLEX      0x0800u
#define VERSION_BYTES     28
#define VERSION_TYPE      2
#define VERSION_UPPER     0x00020001u
#define VERSION_LOWER     0x00080003u
#define REPORT_FLAGS      0x88000000u
#define DATAGRAM_BYTES    16
// As iperf's client says 10 s: a negative amount, in units of 10 ms.
#define AMOUNT_10_S 0xFFFFFC18u

void cor_iperf_init(struct cor_iperf *iperf) {
    memset(iperf, 0, sizeof(*iperf));
    iperf->need_bytes = 4;
}

// ---- TCP

static void answer_version(struct cor_tcp *tcp, uint64_t now_us) {
    uint8_t reply[VERSION_BYTES] = {0};

    cor_put_be32(reply, VERSION_TYPE);
    cor_put_be32(reply + 4, VERSION_BYTES);
    cor_put_be32(reply + 12, VERSION_UPPER);
    cor_put_be32(reply + 16, VERSION_LOWER);
    // The ring is empty at this point of a stream, so that all of it fits; else the client waits in
    // vain and says so.
    int32_t taken = cor_tcp_write(tcp, reply, sizeof(reply), now_us);
    (void)taken;
}

static void take_head(struct cor_iperf *iperf, struct cor_tcp *tcp, uint64_t now_us) {
    uint32_t flags = cor_get_be32(iperf->head);

    if ((flags & FLAGS_OF_A_HEADER) == 0) {
        iperf->head_known = true;  // plain data
        return;
    }
    if (iperf->need_bytes == 4) {
        uint32_t size = (flags & FLAG_EXTENDED) != 0 ? EXTENDED_BYTES : COR_IPERF_HEADER_BYTES;

        size = (flags & FLAG_LENGTH) != 0 ? LENGTH_OF(flags) : size;
        iperf->need_bytes = size > COR_IPERF_HEADER_BYTES ? size : COR_IPERF_HEADER_BYTES;
        return;
    }
    uint32_t upper =
        iperf->need_bytes >= UPPER_OFFSET + 2 ? cor_get_be16(iperf->head + UPPER_OFFSET) : 0;
    iperf->head_known = true;
    iperf->declined =
        (flags & (FLAG_KEY | FLAG_BOUNCE)) != 0 || (upper & (UPPER_REVERSE | UPPER_DUPLEX)) != 0;
    if (!iperf->declined && (flags & FLAG_VERSION_ASK) != 0) {
        answer_version(tcp, now_us);
    }
}

void cor_iperf_stream(
    struct cor_iperf *iperf,
    struct cor_tcp *tcp,
    const uint8_t *data,
    uint32_t size_bytes,
    uint64_t now_us) {
    iperf->bytes += size_bytes;
    // At most two turns: the flags, then the rest of the header.
    for (uint32_t turn = 0; turn < 2 && !iperf->head_known; turn++) {
        uint32_t want = iperf->need_bytes - iperf->head_bytes;
        uint32_t take = size_bytes < want ? size_bytes : want;

        memcpy(iperf->head + iperf->head_bytes, data, take);
        iperf->head_bytes += take;
        data += take;
        size_bytes -= take;
        if (iperf->head_bytes < iperf->need_bytes) {
            return;
        }
        take_head(iperf, tcp, now_us);
    }
}

// ---- UDP

static int64_t number_of(const uint8_t *data, uint32_t size_bytes) {
    bool wide = size_bytes >= DATAGRAM_BYTES + 4 &&
                (cor_get_be32(data + DATAGRAM_BYTES) & FLAG_64_BIT) != 0;
    uint32_t low = cor_get_be32(data);

    return wide ? (int64_t)(((uint64_t)cor_get_be32(data + 12) << 32) | low) : (int32_t)low;
}

// RFC 3550 6.4.1, as iperf has it.
static void count_jitter(struct cor_iperf *iperf, const uint8_t *data, uint64_t now_us) {
    int64_t sent_us = (int64_t)cor_get_be32(data + 4) * 1000000 + cor_get_be32(data + 8);
    int64_t transit_us = (int64_t)now_us - sent_us;
    int64_t step_us = transit_us - iperf->transit_us;

    if (iperf->datagrams > 1) {
        uint64_t distance = (uint64_t)(step_us < 0 ? -step_us : step_us);

        iperf->jitter_16 += distance - (iperf->jitter_16 >> 4);
    }
    iperf->transit_us = transit_us;
}

bool cor_iperf_datagram(struct cor_iperf *iperf, const struct cor_udp_datagram *datagram) {
    if (datagram->size_bytes < DATAGRAM_BYTES) {
        return false;
    }
    int64_t number = number_of(datagram->data, datagram->size_bytes);
    bool last = number < 0;
    if (iperf->over) {
        return last;
    }
    if (!iperf->begun) {
        if (number <= 0) {
            return false;  // of an earlier test
        }
        iperf->begun = true;
        iperf->first_us = datagram->now_us;
        iperf->expected = 1;
    }
    number = last ? (number == INT64_MIN ? INT64_MAX : -number) : number;
    iperf->datagrams++;
    iperf->bytes += datagram->size_bytes;
    iperf->last_us = datagram->now_us;
    count_jitter(iperf, datagram->data, datagram->now_us);
    if (number >= iperf->expected) {
        iperf->lost += (uint64_t)(number - iperf->expected);
        iperf->expected = number == INT64_MAX ? number : number + 1;
    } else {
        iperf->out_of_order++;
        iperf->lost -= iperf->lost > 0;
    }
    iperf->over = last;
    return last;
}

void cor_iperf_report(
    const struct cor_iperf *iperf, const uint8_t *last, uint8_t into[COR_IPERF_REPORT_BYTES]) {
    uint64_t took_us = iperf->last_us - iperf->first_us;
    uint64_t jitter_us = iperf->jitter_16 >> 4;
    uint8_t *at = into + DATAGRAM_BYTES;

    memset(into, 0, COR_IPERF_REPORT_BYTES);
    memcpy(into, last, DATAGRAM_BYTES);
    cor_put_be32(at, REPORT_FLAGS);
    cor_put_be32(at + 4, (uint32_t)(iperf->bytes >> 32));
    cor_put_be32(at + 8, (uint32_t)iperf->bytes);
    cor_put_be32(at + 12, (uint32_t)(took_us / 1000000));
    cor_put_be32(at + 16, (uint32_t)(took_us % 1000000));
    cor_put_be32(at + 20, (uint32_t)iperf->lost);
    cor_put_be32(at + 24, (uint32_t)iperf->out_of_order);
    cor_put_be32(at + 28, (uint32_t)iperf->datagrams);
    cor_put_be32(at + 32, (uint32_t)(jitter_us / 1000000));
    cor_put_be32(at + 36, (uint32_t)(jitter_us % 1000000));
    at += 100;
    cor_put_be32(at, (uint32_t)(iperf->lost >> 32));
    cor_put_be32(at + 4, (uint32_t)(iperf->out_of_order >> 32));
    cor_put_be32(at + 8, (uint32_t)(iperf->datagrams >> 32));
}

// ---- the client's stream

static int32_t source_read(struct cor_source *seam, uint8_t *into, uint32_t room_bytes) {
    struct cor_iperf_source *source = (struct cor_iperf_source *)seam;
    uint32_t size = room_bytes < INT32_MAX ? room_bytes : INT32_MAX;

    size = size > source->left_bytes ? (uint32_t)source->left_bytes : size;
    for (uint32_t i = 0; i < size; i++) {
        uint64_t at = source->at_bytes + i;

        into[i] = at < COR_IPERF_HEADER_BYTES ? source->header[at] : (uint8_t)('0' + at % 10);
    }
    source->at_bytes += size;
    source->left_bytes -= source->left_bytes != UINT64_MAX ? size : 0;
    return (int32_t)size;
}

void cor_iperf_source_init(struct cor_iperf_source *source, uint64_t size_bytes) {
    static const struct cor_source_ops ops = {.read = source_read};
    bool sized = size_bytes <= INT32_MAX;

    _Static_assert(offsetof(struct cor_iperf_source, source) == 0, "the seam is cast");
    memset(source, 0, sizeof(*source));
    source->source.ops = &ops;
    source->left_bytes = size_bytes;
    cor_put_be32(source->header + 4, 1);
    cor_put_be32(source->header + 8, COR_IPERF_PORT);
    cor_put_be32(source->header + 20, sized ? (uint32_t)size_bytes : AMOUNT_10_S);
}
