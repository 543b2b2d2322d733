// SPDX-License-Identifier: MIT
// UDP: streams told apart by address, port and number, with loss counted from coradio's header.
#include "common/clock.h"
#include "parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "coradio/datagram.h"

enum {
    BATCH = 32,  // datagrams a call
    BATCHES_A_TURN = 8,
    DATAGRAM_BYTES_MAX = 65536,
    SOCKET_ROOM_BYTES = 8 << 20,  // asked for; the kernel gives what it allows
};

struct sink_udp_batch {
    struct mmsghdr headers[BATCH];
    struct iovec pieces[BATCH];
    struct sockaddr_storage peers[BATCH];
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(uint32_t))];
    } controls[BATCH];
    uint8_t payload[BATCH][DATAGRAM_BYTES_MAX];
    uint32_t dropped;  // the kernel's counter, as last told
};

int sink_udp_open(struct sink *sink) {
    static const int room = SOCKET_ROOM_BYTES;
    static const int on = 1;

    sink->batch = calloc(1, sizeof(*sink->batch));
    if (sink->batch == NULL) {
        return ENOMEM;
    }
    // Only root may go beyond net.core.rmem_max; less room shows as datagrams dropped by the sink.
    if (setsockopt(sink->udp, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)) != 0) {
        (void)setsockopt(sink->udp, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room));
    }
    // Tells with each datagram how many the kernel had to drop before it.
    if (setsockopt(sink->udp, SOL_SOCKET, SO_RXQ_OVFL, &on, sizeof(on)) != 0) {
        return errno;
    }
    return 0;
}

void sink_udp_close(struct sink *sink) {
    free(sink->batch);
    sink->batch = NULL;
}

static uint32_t bucket_of(const struct sockaddr_storage *peer, uint32_t udp_stream) {
    uint32_t hash = (sink_address_port(peer) * 0x9E3779B1u) ^ (udp_stream * 0x85EBCA77u);

    return (hash >> 16) % SINK_UDP_BUCKETS;
}

static struct sink_stream **slot_of(struct sink *sink, const struct sink_stream *stream) {
    return &sink->buckets[bucket_of(&stream->peer, stream->udp_stream)];
}

void sink_udp_forget(struct sink *sink, struct sink_stream *stream) {
    if (stream->kind != SINK_UDP) {
        return;
    }
    struct sink_stream **at = slot_of(sink, stream);
    while (*at != NULL && *at != stream) {
        at = &(*at)->bucket_next;
    }
    if (*at == stream) {
        *at = stream->bucket_next;
        stream->bucket_next = NULL;
    }
}

// The newest stream of this sender and number, live or lately ended.
static struct sink_stream *find(
    const struct sink *sink,
    const struct sockaddr_storage *peer,
    const struct cor_datagram *datagram) {
    uint32_t udp_stream = datagram == NULL ? 0 : datagram->stream;
    struct sink_stream *stream = sink->buckets[bucket_of(peer, udp_stream)];

    while (stream != NULL) {
        if (stream->udp_stream == udp_stream && stream->numbered == (datagram != NULL) &&
            sink_address_equal(&stream->peer, peer)) {
            break;
        }
        stream = stream->bucket_next;
    }
    return stream;
}

static struct sink_stream *begin(
    struct sink *sink,
    const struct sockaddr_storage *peer,
    const struct cor_datagram *datagram,
    const struct sink_stream *before,
    uint64_t now_ns) {
    if (sink->udp_live_count >= SINK_UDP_STREAMS_MAX) {
        sink->udp_refused++;
        return NULL;
    }
    struct sink_stream *stream = sink_stream_new(sink, SINK_UDP, peer, now_ns);
    if (stream == NULL) {
        sink->udp_refused++;
        return NULL;
    }
    stream->numbered = datagram != NULL;
    stream->udp_stream = datagram == NULL ? 0 : datagram->stream;
    if (stream->numbered) {
        // One that goes on after a silence is held against what it had reached.
        stream->continues = before == NULL ? 0 : before->id;
        sink_sequence_init(&stream->sequence, before == NULL ? 0 : before->sequence.next);
    }
    struct sink_stream **slot = slot_of(sink, stream);
    stream->bucket_next = *slot;
    *slot = stream;
    sink_say(
        sink,
        "#%u %s began to send UDP, %s",
        stream->id,
        stream->name,
        stream->numbered ? "numbered" : "without numbers: loss cannot be told");
    return stream;
}

// Finds or begins the stream a datagram belongs to; NULL when it belongs to none.
static struct sink_stream *stream_of(
    struct sink *sink,
    const struct sockaddr_storage *peer,
    const struct cor_datagram *datagram,
    uint64_t now_ns) {
    struct sink_stream *stream = find(sink, peer, datagram);

    if (stream == NULL || stream->end == SINK_END_open) {
        return stream != NULL ? stream : begin(sink, peer, datagram, NULL, now_ns);
    }
    // Repeated last markers and stragglers of a stream that is over say nothing new.
    bool nothing_new = datagram != NULL && datagram->last &&
                       (int32_t)(datagram->sequence - (uint32_t)stream->sequence.next) <= 0;
    if (stream->end == SINK_END_last || nothing_new) {
        sink->udp_after_end++;
        return NULL;
    }
    return begin(sink, peer, datagram, stream, now_ns);
}

static void take_datagram(
    struct sink *sink,
    const struct sockaddr_storage *peer,
    const uint8_t *data,
    uint32_t size_bytes,
    uint64_t now_ns) {
    struct cor_datagram header = {0};
    bool numbered = cor_datagram_parse(&header, data, size_bytes);
    struct sink_stream *stream = stream_of(sink, peer, numbered ? &header : NULL, now_ns);
    uint32_t skip = numbered ? COR_DATAGRAM_BYTES : 0;

    if (stream == NULL) {
        return;
    }
    if (stream->protocol == NULL) {
        stream->protocol = sink_protocol_of(data, size_bytes);
    }
    if (numbered && header.last) {
        sink_sequence_last(&stream->sequence, header.sequence);
        if (stream->sequence.last_seen && stream->linger_ns == 0) {
            stream->linger_ns = now_ns + SINK_UDP_LINGER_NS;
        }
        return;
    }
    if (numbered && !sink_sequence_add(&stream->sequence, header.sequence)) {
        return;  // counted as a repetition or as too late
    }
    sink_stream_take(sink, stream, data + skip, size_bytes - skip, skip, now_ns);
}

// The kernel's count of what it dropped at our socket; it only rises (and wraps).
static void note_dropped(struct sink *sink, struct msghdr *header) {
    for (struct cmsghdr *each = CMSG_FIRSTHDR(header); each != NULL;
         each = CMSG_NXTHDR(header, each)) {
        if (each->cmsg_level == SOL_SOCKET && each->cmsg_type == SO_RXQ_OVFL) {
            uint32_t dropped = 0;

            memcpy(&dropped, CMSG_DATA(each), sizeof(dropped));
            sink->udp_dropped += dropped - sink->batch->dropped;
            sink->batch->dropped = dropped;
        }
    }
}

static void prepare(struct sink_udp_batch *batch) {
    for (size_t i = 0; i < BATCH; i++) {
        batch->pieces[i] = (struct iovec){batch->payload[i], DATAGRAM_BYTES_MAX};
        batch->headers[i].msg_hdr = (struct msghdr){
            .msg_name = &batch->peers[i],
            .msg_namelen = sizeof(batch->peers[i]),
            .msg_iov = &batch->pieces[i],
            .msg_iovlen = 1,
            .msg_control = batch->controls[i].bytes,
            .msg_controllen = sizeof(batch->controls[i].bytes),
        };
    }
}

void sink_udp_read(struct sink *sink) {
    struct sink_udp_batch *batch = sink->batch;

    for (int turn = 0; turn < BATCHES_A_TURN; turn++) {
        prepare(batch);
        int got = recvmmsg(sink->udp, batch->headers, BATCH, MSG_DONTWAIT, NULL);
        uint64_t now_ns = clock_now_ns();

        for (int i = 0; i < got; i++) {
            note_dropped(sink, &batch->headers[i].msg_hdr);
            take_datagram(
                sink, &batch->peers[i], batch->payload[i], batch->headers[i].msg_len, now_ns);
        }
        if (got < BATCH) {
            return;
        }
    }
}

void sink_udp_tick(struct sink *sink, struct sink_stream *stream, uint64_t now_ns) {
    uint64_t heard_ns = stream->last_ns != 0 ? stream->last_ns : stream->start_ns;

    if (stream->linger_ns != 0 && now_ns >= stream->linger_ns) {
        sink_stream_end(sink, stream, SINK_END_last, now_ns);
    } else if (now_ns >= heard_ns + sink->config.udp_silence_ns) {
        sink_stream_end(sink, stream, SINK_END_silence, now_ns);
    } else if (stream->linger_ns == 0) {
        sink_stream_watch_silence(sink, stream, now_ns);
    }
}
