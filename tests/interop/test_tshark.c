// SPDX-License-Identifier: MIT
// tshark reads the captures of the twin's wire: without complaint, with every checksum right, and
// with the frames and times that were there. Skipped (77) where tshark is not installed.
#include "coradio_twin/peer.h"
#include "hand_host.h"
#include "test.h"

#include <stdlib.h>
#include <unistd.h>

#define PORT       5001u
#define OUR_PORT   40000u
#define HOST_IP    0x0A000001u
#define PEER_IP    0x0A000002u
#define DELAY_NS   250000u
#define MSS        1460u
#define ISS        999u
#define SEGMENTS   40u
#define SKIPPED    77
#define LINE_BYTES 512u

static char capture[] = "/tmp/coradio-capture-XXXXXX";
static uint32_t frames_expected;

static struct {
    struct twin_sim *sim;
    struct hand_host host;
} world;

static void run_us(uint64_t us) {
    twin_run_until(world.sim, twin_now_ns(world.sim) + us * 1000u);
}

static void send_counted(const struct hand_segment *segment) {
    hand_send_tcp(&world.host, segment);
    frames_expected++;
}

static void count_answers(void) {
    frames_expected += hand_waiting(&world.host);
    hand_drop_all(&world.host);
}

// ARP, ping, a datagram, a connection with two segments that changed places, a close.
static void converse(void) {
    static const uint8_t payload[MSS];
    struct hand_segment segment = {
        .source_port = OUR_PORT,
        .target_port = PORT,
        .seq = ISS,
        .flags = HAND_SYN,
        .window = 65535,
        .mss = MSS,
        .sack_ok = true,
    };
    struct hand_segment answer;

    hand_send_arp(&world.host, PEER_IP);
    run_us(1000);
    hand_send_ping(&world.host, 1, 56);
    hand_send_udp(&world.host, OUR_PORT, PORT, "datagram", 8);
    frames_expected = 3;
    run_us(1000);
    count_answers();
    send_counted(&segment);
    run_us(1000);
    CHECK(hand_receive_tcp(&world.host, &answer));
    frames_expected++;
    segment = (struct hand_segment){
        .source_port = OUR_PORT,
        .target_port = PORT,
        .ack = answer.seq + 1,
        .flags = HAND_ACK,
        .window = 65535,
        .payload = payload,
        .payload_bytes = MSS,
    };
    for (uint32_t i = 0; i < SEGMENTS; i++) {
        uint32_t place = i == 2 ? 3 : i == 3 ? 2 : i;
        segment.seq = ISS + 1 + place * MSS;
        send_counted(&segment);
        run_us(100);
    }
    segment.seq = ISS + 1 + SEGMENTS * MSS;
    segment.flags = HAND_FIN | HAND_ACK;
    segment.payload_bytes = 0;
    send_counted(&segment);
    run_us(10000);
    count_answers();
}

static void record(FILE *file) {
    struct twin_sim *sim = twin_sim_new(5, 1000000000u);
    struct twin_frames *frames = twin_frames_new();
    struct twin_wire *wire = twin_wire_new(&(struct twin_wire_config){
        .sim = sim, .frames = frames, .delay_ns = DELAY_NS, .pcap = file});
    struct twin_peer *peer = twin_peer_new(&(struct twin_peer_config){
        .sim = sim,
        .frames = frames,
        .wire = twin_wire_far(wire),
        .address = {2, 0, 0, 0, 0, 2},
        .ip = PEER_IP,
        .netmask = 0xFF000000u,
        .port = PORT,
    });

    world.sim = sim;
    world.host = (struct hand_host){
        .sim = sim,
        .frames = frames,
        .out = twin_wire_near(wire),
        .mac = {2, 0, 0, 0, 0, 1},
        .peer_mac = {2, 0, 0, 0, 0, 2},
        .ip = HOST_IP,
        .peer_ip = PEER_IP,
    };
    twin_wire_connect_far(wire, twin_peer_port(peer));
    twin_wire_connect_near(wire, hand_port(&world.host));
    converse();
    twin_peer_free(peer);
    twin_wire_free(wire);
    twin_frames_free(frames);
    twin_sim_free(sim);
}

// Runs tshark over the capture. Returns how many lines it printed, -1 when it failed; the first
// line goes to `first`, and whatever it says on stderr (less its warning about root) counts too.
static int tshark(const char *options, char *first) {
    char command[LINE_BYTES];
    char line[LINE_BYTES];
    int lines = 0;
    FILE *output;

    snprintf(
        command,
        sizeof(command),
        "tshark -r %s -o ip.check_checksum:TRUE -o tcp.check_checksum:TRUE "
        "-o udp.check_checksum:TRUE %s 2>&1",
        capture,
        options);
    output = popen(command, "r");  // NOLINT(cert-env33-c): the command is ours
    if (output == NULL) {
        return -1;
    }
    while (fgets(line, sizeof(line), output) != NULL) {
        if (strncmp(line, "Running as user", 15) == 0) {
            continue;
        }
        if (lines++ == 0) {
            snprintf(first, LINE_BYTES, "%s", line);
        }
    }
    return pclose(output) == 0 ? lines : -1;
}

static void record_once(void) {
    static bool recorded;
    FILE *file;

    if (recorded) {
        return;
    }
    file = fopen(capture, "wb");
    CHECK(file != NULL);
    record(file);
    CHECK_EQ(fclose(file), 0);
    recorded = true;
}

// No line of tshark's may match the filter.
static void expect_none(const char *options) {
    char first[LINE_BYTES] = "";
    int lines;

    record_once();
    lines = tshark(options, first);
    if (lines > 0) {
        printf("  tshark says: %s", first);
    }
    CHECK_EQ(lines, 0);
}

TEST(every_frame_is_there_and_the_first_has_its_virtual_time) {
    char first[LINE_BYTES] = "";

    record_once();
    CHECK_EQ(tshark("-T fields -e frame.time_epoch -e eth.type", first), frames_expected);
    CHECK(strncmp(first, "1.000250000\t0x0806", 18) == 0);
}

TEST(nothing_is_malformed) {
    expect_none("-Y '_ws.malformed or _ws.short'");
}

TEST(every_checksum_is_right) {
    expect_none("-Y 'ip.checksum.status == \"Bad\" or tcp.checksum.status == \"Bad\" or "
                "udp.checksum.status == \"Bad\" or icmp.checksum.status == \"Bad\"'");
}

TEST(every_tcp_checksum_was_looked_at) {
    expect_none("-Y 'tcp and not tcp.checksum.status == \"Good\"'");
}

TEST(the_segment_out_of_order_and_its_sack_are_seen_as_that) {
    char first[LINE_BYTES];

    record_once();
    CHECK_EQ(tshark("-Y 'tcp.analysis.out_of_order or tcp.analysis.retransmission'", first), 1);
    CHECK_EQ(tshark("-Y 'tcp.options.sack_le'", first), 1);
}

TEST(the_stream_is_whole) {
    char first[LINE_BYTES] = "";

    record_once();
    // The peer's acknowledgement of our FIN, SYN and 40 segments of 1460 bytes before it.
    CHECK(tshark("-Y 'tcp.srcport == 5001 and tcp.ack == 58402' -T fields -e tcp.ack", first) > 0);
    CHECK(strncmp(first, "58402", 5) == 0);
}

int main(int argc, char **argv) {
    static const struct test_case cases[] = {
        CASE(every_frame_is_there_and_the_first_has_its_virtual_time),
        CASE(nothing_is_malformed),
        CASE(every_checksum_is_right),
        CASE(every_tcp_checksum_was_looked_at),
        CASE(the_segment_out_of_order_and_its_sack_are_seen_as_that),
        CASE(the_stream_is_whole),
    };
    int file = -1;
    int failed;

    // NOLINTNEXTLINE(cert-env33-c): asks only whether the program is there
    if (system("command -v tshark >/dev/null 2>&1") != 0) {
        printf("skipped: tshark is not installed (apt-get install tshark)\n");
        return SKIPPED;
    }
    file = mkstemp(capture);
    if (file < 0) {
        printf("skipped: no room for a temporary file\n");
        return SKIPPED;
    }
    close(file);
    failed = test_run(argv[0], argc > 1 ? argv[1] : NULL, cases, sizeof(cases) / sizeof(cases[0]));
    unlink(capture);
    return failed;
}
