// SPDX-License-Identifier: MIT
// Sink: takes in any number of TCP connections and UDP streams at once and counts what arrives.
//
// One thread, one epoll, no blocking call on any socket: a connection that stands still can hold up
// nobody. Everything is counted here, at the receiver. Times are of the monotonic clock.
//
//     struct sink sink;
//     if (sink_open(&sink, &config) == 0) { sink_run(&sink); code = sink_exit_code(&sink); }
//     sink_close(&sink);
#ifndef TOOLS_SINK_SINK_H
#define TOOLS_SINK_SINK_H

#include "address.h"
#include "common/sha256.h"
#include "host.h"
#include "sequence.h"
#include "store.h"
#include "watch.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>

#define SINK_DEFAULT_PORT    5001
#define SINK_UDP_SILENCE_NS  UINT64_C(2000000000)   // the default of udp_silence_ns
#define SINK_UDP_LINGER_NS   UINT64_C(200000000)    // after the last marker, for stragglers
#define SINK_UDP_FORGET_NS   UINT64_C(10000000000)  // an ended UDP stream is remembered this long
#define SINK_STALL_NS        UINT64_C(1000000000)   // silence that is worth a line
#define SINK_INTERVAL_NS     UINT64_C(1000000000)
#define SINK_STALL_LINES     10     // an interval; more are only counted
#define SINK_INTERVAL_BINS   16     // 10 ticks fill an interval; absences may shift a few
#define SINK_UDP_STREAMS_MAX 4096   // at once; a flood of forged sources must not fill memory
#define SINK_RECORDS_MAX     10000  // ended streams kept in detail; older ones only in the totals
#define SINK_UDP_BUCKETS     1024

// name, the stream ended as its sender meant it, text
// clang-format off
#define SINK_ENDS(X)                                                                         \
    X(open,      false, "still open")                                                        \
    X(closed,    true,  "the sender closed it")                                              \
    X(last,      true,  "the sender's last marker came")                                     \
    X(silence,   true,  "no datagram for 2 s")                                               \
    X(reset,     false, "the sender reset it")                                               \
    X(vanished,  false, "the peer no longer answers (keepalive); it was half open")          \
    X(idle,      false, "it never sent a byte (--idle-timeout)")                             \
    X(stalled,   false, "it fell silent (--stall-timeout)")                                  \
    X(stopped,   false, "the sink ended while it was open")                                  \
    X(error,     false, "reading from it failed")
// clang-format on

enum sink_end {
#define X(name, good, text) SINK_END_##name,
    SINK_ENDS(X)
#undef X
        SINK_END_COUNT
};

const char *sink_end_name(enum sink_end end);
const char *sink_end_text(enum sink_end end);
bool sink_end_is_good(enum sink_end end);

enum sink_kind { SINK_TCP, SINK_UDP };

// What speaks on a stream, told by its first bytes. Today there is one, which takes everything as
// payload; a protocol with headers and replies (iperf) becomes a further row of sink_protocols.
struct sink_protocol {
    const char *name;
    bool (*claims)(const uint8_t *first, size_t size_bytes);
};

const struct sink_protocol *sink_protocol_of(const uint8_t *first, size_t size_bytes);

// What the kernel knows of a TCP connection, as far as this kernel tells it.
struct sink_tcp_state {
    bool known;
    uint64_t bytes_received;
    uint32_t rtt_us;
    uint32_t rcv_rtt_us;
    uint32_t rcv_mss_bytes;
    uint32_t rcv_space_bytes;
    uint32_t rcv_window_bytes;
    bool rcv_window_known;  // since Linux 6.2
    uint32_t ato_us;
    uint32_t last_data_ms;  // since the last segment with data came
    uint32_t data_segments_in;
    uint32_t segments_out;  // nearly all are ACKs, since the sink sends no data
    uint32_t out_of_order_segments;
    uint32_t queued_bytes;  // arrived, not yet read: Recv-Q
};

struct sink_gap {
    uint64_t length_ns;
    uint64_t begin_ns;
    uint64_t sink_away_ns;  // the part of it in which the sink was not reading
    enum sink_cause cause;
    bool ended;  // data came again after it
};

struct sink_stream {
    struct sink_stream *next;         // in the list of live or of ended streams
    struct sink_stream *previous;     // in the list of live streams
    struct sink_stream *bucket_next;  // UDP, in the hash table
    uint32_t id;                      // from 1, in order of arrival
    enum sink_kind kind;
    enum sink_end end;
    int socket;  // TCP, else -1
    struct sockaddr_storage peer;
    char name[SINK_ADDRESS_SIZE];
    const struct sink_protocol *protocol;  // NULL before the first byte

    struct timespec start_utc;
    uint64_t start_ns;  // accepted, or first datagram
    uint64_t first_ns;  // first and last payload; 0 before the first
    uint64_t last_ns;
    uint64_t end_ns;
    uint64_t bytes;
    uint64_t reads;          // of a socket, or datagrams
    uint32_t superseded_by;  // id, or 0

    struct sink_absence absence;  // the sink's absences up to last_ns
    struct sink_gap longest;
    struct sink_gap own_longest;  // the longest that is the sink's own
    uint64_t own_gaps_ns;         // all gaps that are the sink's own, together
    uint64_t stall_told_ns;       // silence at which the next line is due
    struct sink_tcp_state tcp;    // as last looked at
    uint32_t out_of_order_told;   // out_of_order_segments when data was last read
    uint32_t zero_windows;        // looks (one a second) that found the window shut

    uint64_t shown_bytes;  // at the last line of progress

    bool numbered;  // UDP with the datagram header of coradio
    uint32_t udp_stream;
    uint32_t continues;  // id of the stream that ended by silence before this one, or 0
    uint64_t linger_ns;  // the last marker came: ends then
    struct sink_sequence sequence;

    struct sink_file file;
    struct sha256 *sha256;
    char sha256_text[SHA256_TEXT_SIZE];
};

struct sink_interval {
    uint64_t begin_ns;
    uint64_t end_ns;
    uint64_t bytes;
    double bin_min_bps;
    double bin_median_bps;
    double bin_max_bps;
    uint32_t live;      // streams at its end
    double busy_share;  // of the sink's time, outside of waiting
};

struct sink_config {
    const char *command;  // for error lines: "coradio sink"
    char host[SINK_HOST_SIZE];
    uint16_t port;
    const char *store_path;
    uint64_t file_bytes_max;
    uint64_t total_bytes_max;
    bool hash;                  // SHA-256 of each stream, stored or not
    bool copy;                  // copy payload out of the kernel even when nobody looks at it
    uint64_t idle_timeout_ns;   // 0: never
    uint64_t stall_timeout_ns;  // 0: never
    uint64_t udp_silence_ns;    // a UDP stream ends after it
    uint64_t duration_ns;       // 0: no end
    uint64_t count;             // 0: no end
    uint64_t interval_ns;       // lines of progress; 0: none
    int stop_socket;            // readable means stop; -1: none
    bool quiet;                 // errors only
    FILE *log;                  // messages for people
    FILE *ready;                // "listening on HOST:PORT"
};

struct sink {
    struct sink_config config;
    char host[SINK_ADDRESS_SIZE];
    struct sockaddr_storage address;  // as bound
    int epoll;
    int listener;
    int udp;
    uint8_t *buffer;
    struct sink_udp_batch *batch;
    struct sink_watch watch;
    struct sink_store store;
    struct sink_host_counters host_begin;
    struct sink_host_counters host_end;

    struct timespec start_utc;
    uint64_t start_ns;
    uint64_t end_ns;
    bool stop_asked;  // by signal
    bool duration_over;
    bool count_reached;
    bool accept_paused;  // no descriptor is left

    struct sink_stream *live;
    struct sink_stream *ended;  // oldest first
    struct sink_stream *ended_tail;
    uint32_t live_count;
    uint32_t udp_live_count;
    uint32_t record_count;
    uint64_t record_dropped;  // ended streams no longer in the list
    uint32_t stream_count;    // ids given
    struct sink_stream *buckets[SINK_UDP_BUCKETS];

    uint64_t bytes;  // of all streams
    uint64_t first_ns;
    uint64_t last_ns;
    uint64_t finished;  // streams that ended and were not idle
    uint64_t ends[SINK_END_COUNT];
    uint64_t superseded;
    uint64_t udp_dropped;    // by the kernel for want of room in our socket
    uint64_t udp_after_end;  // datagrams of streams already ended by their last marker
    uint64_t udp_refused;    // datagrams of new streams beyond SINK_UDP_STREAMS_MAX

    uint64_t tick_due_ns;
    uint64_t bin_begin_ns;
    uint64_t bin_bytes;
    double bins[SINK_INTERVAL_BINS];
    uint32_t bin_count;
    uint64_t interval_begin_ns;
    uint64_t interval_due_ns;
    uint64_t interval_bytes;
    uint64_t interval_work_ns;
    struct sink_interval *intervals;
    size_t interval_count;
    size_t interval_room;

    uint64_t shown_ns;  // last lines of progress, and when the next are due
    uint64_t show_due_ns;
    uint64_t shown_bytes;
    uint32_t stall_lines_left;  // in this interval
    uint32_t stalls_untold;
    struct sockaddr_storage warned[16];  // peers told to be off the local subnets
    uint32_t warned_count;
};

// Binds and listens, opens the store. Returns 0, or the exit code after one line on stderr.
int sink_open(struct sink *sink, const struct sink_config *config);

// Serves until a bound of the config is reached or it is told to stop.
void sink_run(struct sink *sink);

// Frees everything; also after a failed sink_open.
void sink_close(struct sink *sink);

// What the run was worth: exit code, and the reasons against it, one after the other (NULL ends).
#define SINK_PROBLEMS_MAX 8
#define SINK_PROBLEM_SIZE 160

struct sink_problems {
    uint32_t count;
    char text[SINK_PROBLEMS_MAX][SINK_PROBLEM_SIZE];
};

void sink_find_problems(const struct sink *sink, struct sink_problems *problems);
int sink_exit_code(const struct sink *sink);

// The summary for people, and the result as JSON ("-" is stdout; returns 0 or an errno).
void sink_print_summary(const struct sink *sink, FILE *file);
int sink_write_json(const struct sink *sink, const char *path);

#endif
