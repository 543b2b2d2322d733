// SPDX-License-Identifier: MIT
// Chip: the state of the CYW43439 model. What its parts ask of each other stands in parts.h.
#ifndef TWIN_CYW43_CHIP_H
#define TWIN_CYW43_CHIP_H

#include "coradio_twin/cyw43.h"
#include "coradio_twin/unsure.h"
#include "cyw43/iovar.h"
#include "cyw43/table.h"

// ---- bus

// How the four bytes of a word are sent.
enum wire_order {
    ORDER_HALVES,  // 16-bit words: b1 b0 b3 b2
    ORDER_WORDS,   // 32-bit words: b3 b2 b1 b0
    ORDER_MEMORY,  // b0 b1 b2 b3
};

struct gspi_command {
    bool write;
    bool increment;
    uint8_t function;
    uint32_t address;
    uint32_t length;
};

// Data clocked out by the host after the command, in memory order.
struct wire_data {
    struct twin_bytes pieces[TWIN_GSPI_PIECES_MAX];
    uint32_t count;
    uint32_t size_bytes;
};

struct bus_registers {
    uint8_t control;
    uint8_t delay;
    uint8_t status_enable;
    uint8_t reset;
    uint16_t interrupt;  // without the levels
    uint16_t interrupt_enable;
    uint32_t test;
    uint8_t function_delay[4];
    bool data_unavailable;  // the last read asked for data that was not there
    enum wire_order order;  // in force
    bool append_status;     // in force
};

// ---- backplane

struct core_wrapper {
    uint8_t io_control;
    uint8_t reset_control;
};

struct backplane {
    uint32_t window;
    uint8_t device[0x20];  // 0x10000..0x1001F, as written
    uint64_t alp_at_ns;    // TWIN_NEVER: not asked for
    uint64_t awake_at_ns;  // TWIN_NEVER: asleep
    struct core_wrapper arm;
    struct core_wrapper socram;
    struct core_wrapper mac;
    uint32_t gpio_out;
    uint32_t gpio_enable;
    uint32_t interrupt_status;
    uint32_t host_interrupt_mask;
    uint32_t function_interrupt_mask;
    uint32_t to_host_mailbox;
    uint32_t bank_index;
    uint32_t bank_pda;
    uint64_t ht_at_ns;  // TWIN_NEVER: the firmware does not run
    uint64_t f2_ready_at_ns;
    bool firmware_running;
    uint8_t *ram;
};

// ---- frames

struct credit {
    bool any_received;
    uint8_t expected;  // last received sequence number + 1
    uint8_t told;      // the first sequence number the host was told it may not send
    uint8_t heard;     // the same by a header that faults have changed
    bool heard_more;
    uint32_t free_buffers;
    struct twin_event hold;
};

struct host_fifo {
    struct twin_frame_queue queue;  // tag: channel
    uint8_t sequence;
    bool head_started;
    uint8_t header[ETHERNET_OFFSET];
    uint32_t header_bytes;
    uint32_t read_bytes;  // of the head
    bool credit_frame;    // one waits
};

// Data frames between acceptance and the end of their time on the air.
struct transmit {
    struct twin_frame *inside;  // in its time inside the chip
    struct twin_event done;
    uint32_t in_mac;
    uint32_t in_mac_stale;  // of these, handed over before the last power off
    uint64_t bytes;
};

// ---- control

struct request {
    bool pending;
    uint32_t command;
    uint16_t flags;
    uint16_t id;
    uint32_t outlen;
    uint32_t size_bytes;  // of the buffer that goes back
    uint8_t buffer[F2_BYTES_MAX];
    struct twin_event run;
};

enum join_state { JOIN_NONE, JOIN_ASKED, JOIN_DONE };

// What a note of a frame towards the host says, see fault.c: bytes cut off, length announced.
#define NOTE_CUT(note)       ((note) >> 16)
#define NOTE_ANNOUNCED(note) ((note)&0xFFFFu)

struct join {
    enum join_state state;
    char ssid[33];
    char asked_ssid[33];
    char key[65];
    bool key_set;
    char sae_key[SAE_PASSWORD_BYTES_MAX + 1];
    bool sae_key_set;
    enum twin_auth auth;           // what the host has set up
    bool pruned;                   // asked for security that no network here offers
    struct twin_event found_none;  // an outcome without an access point
    struct twin_event beacons_lost;
    uint64_t keep_alive_ns;
    struct twin_event keep_alive;
};

struct event_queue {
    struct twin_frame_queue queue;
    uint64_t next_at_ns;
    struct twin_event timer;
    uint8_t mask[EVENT_MASK_BYTES];  // one bit an event
};

#define NETWORKS_MAX (1 + TWIN_CYW43_OTHERS_MAX)

// A network in reach, and the radio as it is there.
struct network {
    struct twin_cyw43 *chip;
    struct twin_air *air;
    struct twin_ap *ap;
    struct twin_mac *mac;
    struct twin_event scanned;
};

struct scan {
    bool running;
    uint16_t sync_id;
    char name[33];  // looked for, empty: all
    struct twin_event end;
};

struct clm {
    uint32_t size_bytes;
    uint32_t status;
    bool loaded;
    uint8_t blob[8192];
};

// A frame or event that a fault holds back.
struct held;

struct chip_faults {
    struct held *held;
    struct twin_event storm;
    bool storm_high;
    bool hung;
    uint32_t hung_buffers;           // taken by frames that a hung firmware never looks at
    bool header_read;                // this transaction reads the header of a frame
    struct twin_fault_what request;  // the request that has run last, for faults of its reply
    uint8_t out[4 + F2_BYTES_MAX];
};

struct twin_cyw43 {
    struct twin_cyw43_config config;
    struct twin_cyw43_counters counters;
    struct network networks[NETWORKS_MAX];
    struct twin_mac *mac;  // that of the network in use, as are air and ap of the config
    const char *last_deviation;
    void (*irq_changed)(void *context, bool level);
    void *irq_context;
    bool irq_level;
    bool powered;
    bool up;
    uint64_t wake_at_ns;
    struct twin_event awake;
    uint8_t address[6];
    uint32_t gpio;
    struct bus_registers bus;
    struct backplane plane;
    struct credit credit;
    struct host_fifo fifo;
    struct transmit transmit;
    struct request request;
    struct join join;
    struct event_queue events;
    struct scan scan;
    struct clm clm;
    struct chip_faults faults;
    uint64_t rx_frames;
    uint64_t rx_bytes;
    uint32_t iovars[IOVAR_SLOTS][2];
    uint8_t mcast_list[4 + 6 * MCAST_MAX];
    uint8_t country[20];
    uint32_t ioctls[IOCTL_SLOTS];
    uint8_t scratch[256u + F2_BYTES_MAX + 16u];
};

static inline uint16_t get16(const uint8_t *bytes) {
    return (uint16_t)(bytes[0] | bytes[1] << 8);
}

static inline uint32_t get32(const uint8_t *bytes) {
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

static inline void put16(uint8_t *bytes, uint32_t value) {
    bytes[0] = (uint8_t)value;
    bytes[1] = (uint8_t)(value >> 8);
}

static inline void put32(uint8_t *bytes, uint32_t value) {
    put16(bytes, value);
    put16(bytes + 2, value >> 16);
}

static inline void put16_be(uint8_t *bytes, uint32_t value) {
    bytes[0] = (uint8_t)(value >> 8);
    bytes[1] = (uint8_t)value;
}

static inline void put32_be(uint8_t *bytes, uint32_t value) {
    put16_be(bytes, value >> 16);
    put16_be(bytes + 2, value);
}

static inline uint64_t chip_now_ns(const struct twin_cyw43 *chip) {
    return twin_now_ns(chip->config.sim);
}

#endif
