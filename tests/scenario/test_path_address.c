// SPDX-License-Identifier: MIT
// Where the board's address comes from, over the whole way: driver, chip, air, access point,
// server.
#include "path.h"

#include <stdlib.h>

static struct path path;

// UDP datagrams of DHCP in a capture of Ethernet frames with IPv4 headers of 20 bytes.
static uint32_t dhcp_frames(const char *name) {
    static uint8_t frame[65536];
    uint8_t header[24];
    uint32_t count = 0;
    FILE *file = fopen(name, "rb");

    CHECK(file != NULL);
    CHECK_EQ(fread(header, 1, 24, file), 24);
    while (fread(header, 1, 16, file) == 16) {
        uint32_t size;

        memcpy(&size, header + 8, 4);
        CHECK(size <= sizeof(frame));
        CHECK_EQ(fread(frame, 1, size, file), size);
        count += size > 42 && frame[12] == 0x08 && frame[13] == 0 && frame[23] == 17 &&
                 (frame[37] == 67 || frame[37] == 68);
    }
    fclose(file);
    return count;
}

// Runs with a capture; returns how many messages of DHCP the far side saw or sent.
static uint32_t run_captured(const char *words) {
    char name[] = "/tmp/coradio-address-XXXXXX";
    char all[400];
    int fd = mkstemp(name);
    uint32_t count;

    CHECK(fd >= 0);
    (void)snprintf(all, sizeof(all), "%s --pcap=%s", words, name);
    path_run(&path, all);
    count = dhcp_frames(name);
    (void)remove(name);
    return count;
}

TEST(scenario_20_a_static_address_sends_no_dhcp) {
    CHECK_EQ(run_captured("--bytes=256KiB"), 0);
    CHECK_EQ(path.effective.address, 0x0A00020F);
}

TEST(scenario_20_dhcp_gives_the_address_and_the_transfer_is_the_same) {
    uint64_t goodput_bps;

    path_run(&path, "--bytes=1MiB");
    goodput_bps = path.result.goodput_bps;
    CHECK_EQ(run_captured("--bytes=1MiB --address=dhcp"), 4);
    CHECK_EQ(path.effective.address, 0x0A00020F);
    CHECK_BETWEEN(
        (double)path.result.goodput_bps, (double)goodput_bps * 0.99, (double)goodput_bps * 1.01);
}

TEST(scenario_20_two_lost_requests_delay_and_do_not_fail) {
    path.faults.dhcp_lost = 2;
    CHECK_EQ(run_captured("--bytes=256KiB --address=dhcp"), 6);
    path.faults.dhcp_lost = 0;
}

TEST(every_kind_of_application_starts_with_dhcp) {
    path_run(&path, "--app=udp-tx --duration=200ms --address=dhcp");
    path_run(&path, "--app=ping --count=3 --interval=100ms --address=dhcp");
    path_try(&path, "--app=tcp-rx --bytes=256KiB --address=dhcp");
    CHECK_EQ(path.outcome.status, COR_OK);
    CHECK_EQ(path.outcome.stage, WORLD_DONE);
}

TEST(a_network_without_a_server_is_named_after_90_seconds) {
    path.faults.dhcp_lost = UINT32_MAX;
    path_try(&path, "--bytes=256KiB --address=dhcp");
    path.faults.dhcp_lost = 0;
    CHECK_EQ(path.outcome.stage, WORLD_ADDRESS);
    CHECK_EQ(path.outcome.status, COR_E_TIMEOUT);
}

TEST(the_same_seed_gives_the_same_run) {
    uint64_t goodput_bps;
    double bits;

    path_run(&path, "--bytes=256KiB --address=dhcp --seed=3 --loss=0.05");
    goodput_bps = path.result.goodput_bps;
    bits = path.result.bits_per_segment;
    path_run(&path, "--bytes=256KiB --address=dhcp --seed=3 --loss=0.05");
    CHECK_EQ(path.result.goodput_bps, goodput_bps);
    CHECK(path.result.bits_per_segment == bits);
}

TEST_MAIN(
    CASE(scenario_20_a_static_address_sends_no_dhcp),
    CASE(scenario_20_dhcp_gives_the_address_and_the_transfer_is_the_same),
    CASE(scenario_20_two_lost_requests_delay_and_do_not_fail),
    CASE(every_kind_of_application_starts_with_dhcp),
    CASE(a_network_without_a_server_is_named_after_90_seconds),
    CASE(the_same_seed_gives_the_same_run))
