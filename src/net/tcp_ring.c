// SPDX-License-Identifier: MIT
// Ring and descriptors.
//
//     ring:         | acknowledged | in flight | not yet sent | room |
//     descriptors:  |  kept        |  flight   |  unsent      | free |
//
// Each segment starts at a multiple of 4 in the ring, because the bus reads words. A segment cut in
// mid-stream is a multiple of 4 long; one cut at the end of what is committed may have any length,
// and the ring then skips up to 3 bytes, which is why each descriptor knows its offset.
#include "net/tcp_parts.h"

#include <string.h>

#include "coradio/assert.h"
#include "coradio/checksum.h"

static uint32_t least(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

static uint32_t padded(uint32_t size_bytes) {
    return (size_bytes + 3) & ~3U;
}

static struct cor_tcp_segment *last_segment(const struct cor_tcp *tcp) {
    return &tcp->config.segments[cor_tcp_index(tcp, tcp->next, tcp->unsent_count - 1U)];
}

static bool end_open(const struct cor_tcp *tcp) {
    return (tcp->flags & COR_TCP_END_OPEN) != 0;
}

static void advance_head(struct cor_tcp *tcp, uint32_t size_bytes) {
    tcp->used_bytes += size_bytes;
    tcp->head_bytes += size_bytes;
    if (tcp->head_bytes == tcp->config.ring_bytes) {
        tcp->head_bytes = 0;
    }
}

// A new descriptor at the head of the ring.
static struct cor_tcp_segment *add_segment(struct cor_tcp *tcp) {
    struct cor_tcp_segment *segment = &tcp->config.segments[tcp->end];

    COR_ASSERT(cor_tcp_segments_used(tcp) < tcp->config.segment_count);
    memset(segment, 0, sizeof(*segment));
    segment->seq = tcp->snd_end;
    segment->offset_words = (uint16_t)(tcp->head_bytes / 4);
    tcp->end = cor_tcp_index(tcp, tcp->end, 1);
    tcp->unsent_count++;
    return segment;
}

// What the last descriptor still takes. One that has become too large for the path is filled to a
// multiple of 4, which is where the next can begin.
static uint32_t room_of_end(const struct cor_tcp *tcp) {
    uint32_t size = last_segment(tcp)->size_bytes;

    return size < tcp->cut_bytes ? tcp->cut_bytes - size : padded(size) - size;
}

// One descriptor is kept back for a split or a FIN.
static uint32_t room_of_segments(const struct cor_tcp *tcp) {
    uint32_t used = cor_tcp_segments_used(tcp) + 1;
    uint32_t room = end_open(tcp) ? room_of_end(tcp) : 0;

    if (used < tcp->config.segment_count) {
        room += (tcp->config.segment_count - used) * tcp->cut_bytes;
    }
    return room;
}

int32_t cor_tcp_send_buf(struct cor_tcp *tcp, uint8_t **room) {
    *room = NULL;
    if (tcp->state == COR_TCP_CLOSED) {
        return tcp->error != COR_OK ? tcp->error : COR_E_CLOSED;
    }
    if ((tcp->flags & COR_TCP_CLOSE_WANTED) != 0) {
        return COR_E_CLOSED;
    }
    if (!cor_tcp_is_open(tcp)) {
        return 0;
    }
    uint32_t free_bytes = tcp->config.ring_bytes - tcp->used_bytes;
    uint32_t contiguous = tcp->config.ring_bytes - tcp->head_bytes;
    uint32_t size = least(least(free_bytes, contiguous), room_of_segments(tcp));
    tcp->lent_bytes = size;
    *room = size != 0 ? tcp->config.ring + tcp->head_bytes : NULL;
    return (int32_t)size;
}

static uint16_t sum_at(uint8_t *at, const uint8_t *source, uint32_t size_bytes) {
    return source != NULL ? cor_sum_copy(at, source, size_bytes) : cor_sum_bytes(at, size_bytes);
}

// Puts size_bytes at the head into descriptors; source is NULL where they lie there already.
static void commit(struct cor_tcp *tcp, const uint8_t *source, uint32_t size_bytes) {
    uint32_t whole = tcp->cut_bytes;

    tcp->counters.summed_bytes += size_bytes;
    // Whole segments, as they are most often.
    for (; size_bytes >= whole && !end_open(tcp); size_bytes -= whole) {
        struct cor_tcp_segment *segment = add_segment(tcp);

        segment->sum = sum_at(tcp->config.ring + tcp->head_bytes, source, whole);
        segment->size_bytes = (uint16_t)whole;
        advance_head(tcp, whole);
        tcp->snd_end += whole;
        source = source != NULL ? source + whole : NULL;
    }
    while (size_bytes > 0) {
        struct cor_tcp_segment *segment = end_open(tcp) ? last_segment(tcp) : add_segment(tcp);
        uint8_t *at = tcp->config.ring + tcp->head_bytes;
        uint32_t take = least(size_bytes, room_of_end(tcp));
        uint16_t sum = sum_at(at, source, take);

        if ((segment->size_bytes & 1) != 0) {
            sum = cor_sum_odd(sum);
        }
        segment->sum = cor_sum_fold((uint32_t)segment->sum + sum);
        segment->size_bytes = (uint16_t)(segment->size_bytes + take);
        advance_head(tcp, take);
        tcp->snd_end += take;
        size_bytes -= take;
        source = source != NULL ? source + take : NULL;
        if (segment->size_bytes >= tcp->cut_bytes && (segment->size_bytes & 3) == 0) {
            tcp->flags &= (uint16_t)~COR_TCP_END_OPEN;
        } else {
            tcp->flags |= COR_TCP_END_OPEN;
        }
    }
}

void cor_tcp_send_ack(struct cor_tcp *tcp, uint32_t used_bytes, uint64_t now_us) {
    (void)now_us;
    if (!cor_tcp_is_open(tcp)) {
        return;  // it ended while the room was lent
    }
    COR_ASSERT(used_bytes <= tcp->lent_bytes);
    tcp->lent_bytes = 0;
    commit(tcp, NULL, used_bytes);
}

int32_t cor_tcp_write(
    struct cor_tcp *tcp, const uint8_t *data, uint32_t size_bytes, uint64_t now_us) {
    uint32_t done = 0;

    (void)now_us;
    // A ring that wraps takes two turns.
    for (uint32_t turn = 0; turn < 2; turn++) {
        uint8_t *room;
        int32_t size = cor_tcp_send_buf(tcp, &room);

        if (size < 0) {
            return size;
        }
        uint32_t take = least((uint32_t)size, size_bytes - done);
        tcp->lent_bytes = 0;
        if (take == 0) {
            break;
        }
        commit(tcp, data + done, take);
        tcp->counters.copied_bytes += take;
        done += take;
    }
    return (int32_t)done;
}

static void close_end(struct cor_tcp *tcp) {
    tcp->flags &= (uint16_t)~COR_TCP_END_OPEN;
    advance_head(tcp, padded(tcp->head_bytes) - tcp->head_bytes);
}

void cor_tcp_cut_fin(struct cor_tcp *tcp) {
    struct cor_tcp_segment *segment;

    if ((tcp->flags & COR_TCP_FIN_CUT) != 0) {
        return;
    }
    if (end_open(tcp)) {
        close_end(tcp);
    }
    if (tcp->unsent_count != 0) {
        segment = last_segment(tcp);
    } else if (cor_tcp_segments_used(tcp) < tcp->config.segment_count) {
        segment = add_segment(tcp);
    } else {
        return;
    }
    segment->flags |= COR_TCP_SEGMENT_FIN;
    tcp->snd_end++;
    tcp->flags |= COR_TCP_FIN_CUT;
}

// Makes room for one more descriptor behind the one at `place`, which counts where that does.
static void insert_behind(
    struct cor_tcp *tcp, uint32_t place, const struct cor_tcp_segment *segment) {
    struct cor_tcp_segment *segments = tcp->config.segments;

    for (uint32_t i = (uint32_t)tcp->flight_count + tcp->unsent_count; i > place + 1; i--) {
        segments[cor_tcp_index(tcp, tcp->una, i)] = segments[cor_tcp_index(tcp, tcp->una, i - 1)];
    }
    tcp->end = cor_tcp_index(tcp, tcp->end, 1);
    if (place >= tcp->flight_count) {
        tcp->unsent_count++;
        return;
    }
    tcp->flight_count++;
    tcp->next = cor_tcp_index(tcp, tcp->next, 1);
    tcp->doubt.lost_count =
        (uint16_t)(tcp->doubt.lost_count + ((segment->flags & COR_TCP_SEGMENT_LOST) != 0));
    tcp->doubt.sacked_count =
        (uint16_t)(tcp->doubt.sacked_count + ((segment->flags & COR_TCP_SEGMENT_SACKED) != 0));
}

bool cor_tcp_split(struct cor_tcp *tcp, uint32_t place, uint32_t size_bytes) {
    struct cor_tcp_segment *segments = tcp->config.segments;
    struct cor_tcp_segment *first = &segments[cor_tcp_index(tcp, tcp->una, place)];

    COR_ASSERT(place < (uint32_t)tcp->flight_count + tcp->unsent_count);
    COR_ASSERT(size_bytes > 0 && (size_bytes & 3) == 0 && size_bytes < first->size_bytes);
    if (cor_tcp_segments_used(tcp) >= tcp->config.segment_count ||
        (place < tcp->flight_count && tcp->queued_count != 0)) {
        return false;
    }
    insert_behind(tcp, place, first);
    struct cor_tcp_segment *second = &segments[cor_tcp_index(tcp, tcp->una, place + 1)];
    uint32_t offset = first->offset_words * 4U;
    uint32_t before_wrap = least(size_bytes, tcp->config.ring_bytes - offset);
    uint32_t sum = cor_sum_bytes(tcp->config.ring + offset, before_wrap);

    sum += cor_sum_bytes(tcp->config.ring, size_bytes - before_wrap);
    *second = *first;
    second->seq += size_bytes;
    second->size_bytes = (uint16_t)(second->size_bytes - size_bytes);
    offset += size_bytes;
    offset -= offset >= tcp->config.ring_bytes ? tcp->config.ring_bytes : 0;
    second->offset_words = (uint16_t)(offset / 4);
    first->size_bytes = (uint16_t)size_bytes;
    first->flags &= (uint8_t)~COR_TCP_SEGMENT_FIN;
    first->sum = cor_sum_fold(sum);
    // One's complement: taking away is adding the complement (RFC 1071).
    second->sum = cor_sum_fold((uint32_t)second->sum + (uint16_t)~first->sum);
    tcp->counters.splits++;
    tcp->counters.summed_bytes += size_bytes;
    return true;
}

bool cor_tcp_cut_end(struct cor_tcp *tcp) {
    uint32_t size = last_segment(tcp)->size_bytes;

    COR_ASSERT(tcp->unsent_count == 1);
    if (tcp->lent_bytes == 0) {
        close_end(tcp);
        return true;
    }
    // The head cannot move while room is lent: the ragged rest waits for the next commit.
    if ((size & 3) == 0) {
        tcp->flags &= (uint16_t)~COR_TCP_END_OPEN;
        return true;
    }
    return size > 3 && cor_tcp_split(tcp, tcp->flight_count, size & ~3U);
}

void cor_tcp_free_acked(struct cor_tcp *tcp) {
    uint32_t first = (uint32_t)tcp->una + tcp->config.segment_count - tcp->doubt.kept_count;

    while (tcp->doubt.kept_count > 0) {
        const struct cor_tcp_segment *segment = &tcp->config.segments[cor_tcp_index(tcp, 0, first)];

        if (segment->queued != 0) {
            break;
        }
        tcp->used_bytes -= padded(segment->size_bytes);
        tcp->doubt.kept_count--;
        first++;
        cor_tcp_note(tcp, COR_TCP_EVENT_WRITABLE);
    }
    if ((tcp->flags & (COR_TCP_CLOSE_WANTED | COR_TCP_FIN_CUT)) == COR_TCP_CLOSE_WANTED) {
        cor_tcp_cut_fin(tcp);
    }
}
