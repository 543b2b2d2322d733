// SPDX-License-Identifier: MIT
#include "world.h"

#include "common/sha256.h"
#include "faults.h"
#include "on_lwip.h"
#include "outside.h"
#include "radio.h"
#include "rx.h"
#include "world_state.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "coradio/ip4.h"

// The virtual network, as user-mode networks are wont to be laid out: the host behind .2, the board
// at .15. The second one serves where the target itself lies in the first.
static const uint32_t networks[] = {COR_IP4(10, 0, 2, 0), COR_IP4(192, 168, 231, 0)};
#define NETMASK      0xFFFFFF00u
#define HOST_GATEWAY 2u
#define HOST_BOARD   15u
#define LEASE_S      86400u

// Locally administered addresses, so that they clash with no maker's.
static const uint8_t peer_address[6] = {0x52, 0x55, 0x0A, 0x00, 0x02, 0x02};
static const uint8_t bssid[6] = {0x02, 0xC0, 0x7A, 0xD1, 0x00, 0x01};

#define CHANNEL             1
#define RSSI_DBM            (-57)  // the write-up's dedicated access point
#define CORE_MV             1100   // default of the board's regulator, RP2350 data sheet
#define QUEUE_DEPTH         4      // transfers the bus engine holds
#define POWER_INTERVAL_NS   10000000
#define STOP_READING_UNUSED 0

// ---- names and addresses

static bool resolve(struct world *world, char error[256]) {
    const struct run_options *options = world->options;
    struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    struct sockaddr_in at;
    uint32_t host;
    int code = getaddrinfo(options->host, NULL, &hints, &found);

    if (code != 0) {
        snprintf(
            error,
            256,
            "--to: host '%.100s' is not known (%s); give a name or an IPv4 address",
            options->host,
            gai_strerror(code));
        return false;
    }
    memcpy(&at, found->ai_addr, sizeof(at));
    freeaddrinfo(found);
    host = ntohl(at.sin_addr.s_addr);
    if (options->peer != NULL) {
        run_outside_addresses(world, host);
        return true;
    }
    world->network = (host & NETMASK) == networks[0] ? networks[1] : networks[0];
    world->gateway = world->network | HOST_GATEWAY;
    world->target = (host >> 24) == 127 ? world->gateway : host;
    return true;
}

static bool addresses_init(struct world *world, char error[256]) {
    if (world->options->in_virtual) {
        world->network = networks[0];
        world->gateway = world->network | HOST_GATEWAY;
        world->target = world->gateway;
    } else if (!resolve(world, error)) {
        return false;
    }
    if (world->options->peer == NULL) {
        world->address = world->network | HOST_BOARD;
    }
    return true;
}

// ---- files

static bool file_open(FILE **file, const char *path, char error[256]) {
    if (path == NULL) {
        return true;
    }
    *file = fopen(path, "wb");
    if (*file == NULL) {
        snprintf(error, 256, "%.150s: %s; name a file that can be written", path, strerror(errno));
        return false;
    }
    return true;
}

static bool files_open(struct world *world, char error[256]) {
    const struct run_options *options = world->options;
    struct world_files *files = &world->files;

    return file_open(&files->bus_log, options->bus_log, error) &&
           file_open(&files->air_log, options->air_log, error) &&
           file_open(&files->chip_log, options->chip_log, error) &&
           file_open(&files->pcap, options->pcap, error) &&
           file_open(&files->power_trace, options->power_trace, error);
}

static void file_close(FILE **file) {
    if (*file != NULL) {
        (void)fclose(*file);  // world_files_flush() told what could not be written
        *file = NULL;
    }
}

static void files_close(struct world_files *files) {
    file_close(&files->bus_log);
    file_close(&files->air_log);
    file_close(&files->chip_log);
    file_close(&files->pcap);
    file_close(&files->power_trace);
}

static bool file_flush(FILE *file, const char *path, char error[256]) {
    if (file == NULL || (fflush(file) == 0 && ferror(file) == 0)) {
        return true;
    }
    snprintf(error, 256, "%.150s: could not be written in full; free some space", path);
    return false;
}

bool world_files_flush(struct world *world, char error[256]) {
    const struct run_options *options = world->options;
    struct world_files *files = &world->files;

    return file_flush(files->bus_log, options->bus_log, error) &&
           file_flush(files->air_log, options->air_log, error) &&
           file_flush(files->chip_log, options->chip_log, error) &&
           file_flush(files->pcap, options->pcap, error) &&
           file_flush(files->power_trace, options->power_trace, error);
}

static struct twin_log *log_of(struct world *world, struct twin_log *log, FILE *file) {
    log->sim = world->sim;
    log->file = file;
    return file == NULL ? NULL : log;
}

// ---- the twin

static void wire_init(struct world *world) {
    const struct run_options *options = world->options;
    struct twin_wire_config config = {
        .sim = world->sim,
        .frames = world->frames,
        .delay_ns = options->wire_delay_ns,
        .loss = twin_chance(options->path_loss),
        .pcap = world->files.pcap,
        .on_loss = losses_on_path(&world->losses),
        .faults = world->script,
    };

    world->wire = twin_wire_new(&config);
}

static void air_init(struct world *world) {
    static const enum twin_auth auths[] = {
        [RUN_AUTH_OPEN] = TWIN_AUTH_OPEN,
        [RUN_AUTH_WPA2] = TWIN_AUTH_WPA2,
        [RUN_AUTH_WPA3] = TWIN_AUTH_WPA3,
        [RUN_AUTH_WPA2_WPA3] = TWIN_AUTH_WPA2_WPA3,
    };
    const struct run_options *options = world->options;
    struct twin_air_config air = {
        .sim = world->sim,
        .frames = world->frames,
        .log = log_of(world, &world->air_log, world->files.air_log),
        .mcs = (uint8_t)options->mcs,
        .gi = options->gi == RUN_GI_SHORT ? TWIN_GI_SHORT : TWIN_GI_LONG,
        .ccmp = options->auth != RUN_AUTH_OPEN,
        .mpdu_error = twin_chance(options->loss),
    };
    struct twin_ap_config ap = {
        .sim = world->sim,
        .faults = world->script,
        .frames = world->frames,
        .auth = auths[options->auth],
        .channel = CHANNEL,
        .rssi_dbm = RSSI_DBM,
        .ampdu_max = (uint8_t)options->ap_ampdu,
        .dtim_period = (uint32_t)options->dtim,
        .wire = twin_wire_near(world->wire),
        .on_queue_full = losses_at_access_point(&world->losses),
        .on_given_up = losses_on_air(&world->losses),
    };

    memcpy(ap.bssid, bssid, sizeof(bssid));
    memcpy(ap.ssid, options->ssid, sizeof(options->ssid));
    memcpy(ap.key, options->key, sizeof(options->key));
    world->air = twin_air_new(&air);
    if (options->rssi != NULL) {
        ap.rssi_dbm = (int8_t)options->rssi_dbm;
        twin_air_set_signal(world->air, options->rssi_dbm, options->drift_db);
    }
    ap.air = world->air;
    world->ap = twin_ap_new(&ap);
    twin_air_add_neighbours(world->air, (uint32_t)options->neighbours, options->busy);
    twin_wire_connect_near(world->wire, twin_ap_port(world->ap));
}

static void line_changed(void *context, bool level) {
    struct world *world = context;

    twin_board_line(world->board, level);
}

static void board_init(struct world *world) {
    const struct run_options *options = world->options;
    struct twin_cyw43_config chip;
    struct twin_board_config board = {
        .sim = world->sim,
        .bus_log = log_of(world, &world->bus_log, world->files.bus_log),
        .engine = options->engine == RUN_ENGINE_SERIAL ? TWIN_ENGINE_SERIAL : TWIN_ENGINE_QUEUED,
        .cpu_hz = (uint32_t)(options->cpu_mhz * 1e6 + 0.5),
        .core_mv = CORE_MV,
        .segment_ns = options->segment_ns,
        .queue_depth = QUEUE_DEPTH,
    };
    struct twin_power_config power = {
        .sim = world->sim,
        .air = world->air,
        .cpu_hz = board.cpu_hz,
        .core_mv = board.core_mv,
        .trace = world->files.power_trace,
        .interval_ns = POWER_INTERVAL_NS,
    };

    twin_cyw43_config_init(&chip);
    chip.sim = world->sim;
    chip.frames = world->frames;
    chip.air = world->air;
    chip.ap = world->ap;
    chip.faults = world->script;
    chip.log = log_of(world, &world->chip_log, world->files.chip_log);
    chip.credit_window = (uint8_t)options->credit_window;
    chip.frame_ns = options->chip_frame_ns;
    chip.on_given_up = losses_on_air(&world->losses);
    world->chip = twin_cyw43_new(&chip);
    board.chip = twin_cyw43_gspi(world->chip);
    world->board = twin_board_new(&board);
    twin_cyw43_on_irq(world->chip, line_changed, world);
    power.board = world->board;
    world->power = twin_power_new(&power);
}

static void stop_reading(void *context) {
    struct world *world = context;

    twin_peer_set_reading(world->peer, false);
}

static void silent_air(void *context) {
    struct world *world = context;

    twin_air_set_mpdu_error(world->air, twin_chance(1));
}

static bool forward_init(struct world *world, char error[256]) {
    const struct run_options *options = world->options;

    for (int udp = 0; options->forward != NULL && udp < 2; udp++) {
        struct twin_slirp_way way = {
            .udp = udp != 0,
            .host = options->forward_host,
            .host_port = options->forward_host_port,
            .board = world->address,
            .board_port = options->forward_port,
        };

        if (!twin_slirp_forward(world->slirp, &way)) {
            snprintf(
                error,
                256,
                "--forward: port %u of this machine cannot be had; is another program on it?",
                options->forward_host_port);
            return false;
        }
    }
    return true;
}

// The peer gives the address that a board without DHCP has; libslirp does so by itself.
static void services_init(struct world *world, const struct twin_peer_config *peer) {
    struct twin_dhcp_script dhcp = {
        .first = world->address,
        .count = 1,
        .netmask = NETMASK,
        .gateway = world->gateway,
        .dns = {world->gateway},
        .lease_s = LEASE_S,
        .lose_first = world->faults.dhcp_lost,
    };

    if (world->options->address == RUN_ADDRESS_DHCP) {
        world->services = twin_services_new(peer, &dhcp, NULL);
    }
}

// The peer inside the twin, or the real network. An absent peer leaves the wire's end open.
static bool far_end_init(struct world *world, char error[256]) {
    const struct run_options *options = world->options;
    struct twin_peer_config peer = {
        .sim = world->sim,
        .frames = world->frames,
        .wire = twin_wire_far(world->wire),
        .ip = world->target,
        .netmask = NETMASK,
        .receive_window = (uint32_t)options->peer_window,
        .port = options->port,
        .refuse = world->faults.peer_refuses,
        .silent = world->faults.peer_silent,
        .received = far_side_received,
        .closed = far_side_closed,
        .context = world,
    };
    struct twin_slirp_config slirp = {
        .sim = world->sim,
        .frames = world->frames,
        .wire = twin_wire_far(world->wire),
        .network = world->network,
        .netmask = NETMASK,
        .gateway = world->gateway,
    };

    if (options->peer != NULL) {
        return run_outside_init(world, error);
    }
    if (!options->in_virtual) {
        world->slirp = twin_slirp_new(&slirp);
        if (world->slirp == NULL) {
            snprintf(error, 256, "libslirp refused the virtual network; try --virtual");
            return false;
        }
        twin_wire_connect_far(world->wire, twin_slirp_port(world->slirp));
        return forward_init(world, error);
    }
    memcpy(peer.address, peer_address, sizeof(peer_address));
    world->peer = twin_peer_new(&peer);
    if (world->peer == NULL) {
        snprintf(error, 256, "a process can hold one virtual peer only");
        return false;
    }
    services_init(world, &peer);
    if (!world->faults.peer_absent) {
        twin_wire_connect_far(world->wire, twin_peer_port(world->peer));
    }
    twin_event_init(&world->stop_reading, stop_reading, world);
    twin_event_init(&world->silent_air, silent_air, world);
    if (world->faults.silent_air_ns != 0) {
        twin_at(world->sim, &world->silent_air, world->faults.silent_air_ns);
    }
    if (world->faults.stop_reading_ns != 0) {
        twin_at(world->sim, &world->stop_reading, world->faults.stop_reading_ns);
    }
    return true;
}

static bool memory_init(struct world *world, char error[256]) {
    static const size_t rooms[] = {WORLD_FIRMWARE_ROOM, WORLD_NVRAM_ROOM, WORLD_CLM_ROOM};
    size_t ring = world->options->ring_bytes;
    bool enough = true;

    for (size_t i = 0; i < 3; i++) {
        world->images[i] = malloc(rooms[i]);
        enough = enough && world->images[i] != NULL;
    }
    if (ring < (size_t)WORLD_UDP_SLOTS * 1472) {
        ring = (size_t)WORLD_UDP_SLOTS * 1472;
    }
    // The bus clocks whole words, so a few bytes behind the last piece are read too.
    world->ring = malloc(ring + 8);
    world->segments = calloc(COR_TCP_SEGMENTS_FOR(ring), sizeof(*world->segments));
    world->receive_ring = malloc((size_t)world->options->receive_ring_bytes);
    if (!enough || world->ring == NULL || world->receive_ring == NULL || world->segments == NULL) {
        snprintf(error, 256, "not enough memory; ask for a smaller --ring");
        return false;
    }
    memset(world->ring, 0, ring + 8);
    return true;
}

// A view needs samples too, though they stay out of the JSON then.
#define VIEW_STEP_NS 50000000u

static uint64_t samples_step_ns(const struct run_options *options) {
    return options->samples_ns != 0 ? options->samples_ns : options->watch ? VIEW_STEP_NS : 0;
}

struct world *world_new(const struct world_setup *setup, char error[256]) {
    struct world *world = calloc(1, sizeof(*world));
    bool wrong_use;

    if (world == NULL) {
        snprintf(error, 256, "not enough memory");
        return NULL;
    }
    world->options = setup->options;
    world->source = setup->source;
    world->source_bytes = setup->source_bytes;
    world->check_pattern = setup->pattern;
    if (setup->faults != NULL) {
        world->faults = *setup->faults;
    }
    cor_pattern_init(&world->pattern, UINT64_MAX);
    if (!addresses_init(world, error) || !memory_init(world, error) || !files_open(world, error) ||
        !run_radio_new(world, error)) {
        world_free(world);
        return NULL;
    }
    if (!setup->pattern && world->options->in_virtual) {
        world->peer_digest = sha256_new();
    }
    world->sim = twin_sim_new(world->options->seed, world->options->start_ns);
    twin_sim_set_unsure(world->sim, &world->options->unsure);
    world->frames = twin_frames_new();
    world->script = run_faults_new(world->options, world->sim, &wrong_use, error);
    if (world->script == NULL && error[0] != '\0') {
        world_free(world);
        return NULL;
    }
    wire_init(world);
    air_init(world);
    board_init(world);
    if (!far_end_init(world, error)) {
        world_free(world);
        return NULL;
    }
    if (!on_lwip_init(world)) {
        snprintf(error, 256, "a process can hold one board on lwIP only");
        world_free(world);
        return NULL;
    }
    samples_init(world, samples_step_ns(world->options));
    firmware_init(world);
    return world;
}

void world_free(struct world *world) {
    // Whoever holds frames or events goes before what they belong to.
    if (world->sim != NULL) {
        rx_free(world);
        on_lwip_free(world);
        twin_services_free(world->services);
        if (world->peer != NULL) {
            twin_peer_free(world->peer);
        }
        twin_outside_free(world->outside);
        if (world->slirp != NULL) {
            twin_slirp_free(world->slirp);
        }
        twin_power_free(world->power);
        twin_board_free(world->board);
        twin_cyw43_free(world->chip);
        twin_ap_free(world->ap);
        twin_air_free(world->air);
        twin_wire_free(world->wire);
        twin_faults_free(world->script);
        twin_frames_free(world->frames);
        twin_sim_free(world->sim);
    }
    files_close(&world->files);
    run_radio_free(world);
    latency_free(&world->latency);
    samples_free(world);
    if (world->peer_digest != NULL) {
        sha256_free(world->peer_digest);
    }
    for (int i = 0; i < 3; i++) {
        free(world->images[i]);
    }
    free(world->segments);
    free(world->receive_ring);
    free(world->ring);
    free(world);
}
