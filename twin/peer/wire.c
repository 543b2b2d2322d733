// SPDX-License-Identifier: MIT
#include "coradio_twin/peer.h"
#include "sim/alloc.h"

#include <stdlib.h>
#include <string.h>

#define QUEUE_START_FRAMES 64u
#define ETHERNET_BYTES     14u  // header: damage behind it, what is in front a switch would drop

// One direction. The delay is the same for all frames, so they leave in the order they came, and
// one event, due when the oldest frame arrives, is enough.
struct lane {
    struct twin_wire *wire;
    struct twin_event arrival;
    struct twin_rng loss_rng;
    struct twin_port out;
    bool towards_far;
    // A ring; capacity is a power of two, the indexes run on.
    struct twin_frame **frames;
    uint64_t *arrival_ns;
    size_t capacity;
    size_t head;
    size_t tail;
    uint64_t delivered;
    uint64_t lost;
};

// A frame that a fault holds back while others overtake it.
struct late {
    struct late *next;
    struct lane *lane;
    struct twin_frame *frame;
    struct twin_event due;
};

struct twin_wire {
    struct twin_wire_config config;
    struct late *late;
    struct lane to_far;
    struct lane to_near;
};

// ---- pcap: the classic file format, nanosecond variant (specified: draft-ietf-opsawg-pcap,
// sections 4 and 5), in the byte order of this machine, which the magic number tells

#define PCAP_MAGIC_NS          0xA1B23C4Du
#define PCAP_VERSION_MAJOR     2u
#define PCAP_VERSION_MINOR     4u
#define PCAP_SNAP_BYTES        262144u
#define PCAP_LINKTYPE_ETHERNET 1u

struct pcap_file_header {
    uint32_t magic;
    uint16_t version_major;
    uint16_t version_minor;
    uint32_t reserved[2];
    uint32_t snap_bytes;
    uint32_t linktype;
};

struct pcap_frame_header {
    uint32_t at_s;
    uint32_t at_ns;
    uint32_t captured_bytes;
    uint32_t size_bytes;
};

static void pcap_begin(FILE *file) {
    const struct pcap_file_header header = {
        .magic = PCAP_MAGIC_NS,
        .version_major = PCAP_VERSION_MAJOR,
        .version_minor = PCAP_VERSION_MINOR,
        .snap_bytes = PCAP_SNAP_BYTES,
        .linktype = PCAP_LINKTYPE_ETHERNET,
    };

    fwrite(&header, sizeof(header), 1, file);
}

static void pcap_frame(const struct twin_wire *wire, const struct twin_frame *frame) {
    uint64_t now_ns = twin_now_ns(wire->config.sim);
    const struct pcap_frame_header header = {
        .at_s = (uint32_t)(now_ns / 1000000000u),
        .at_ns = (uint32_t)(now_ns % 1000000000u),
        .captured_bytes = frame->size_bytes,
        .size_bytes = frame->size_bytes,
    };

    fwrite(&header, sizeof(header), 1, wire->config.pcap);
    fwrite(frame->data, frame->size_bytes, 1, wire->config.pcap);
}

// ---- a lane

static void lane_arrive(void *context) {
    struct lane *lane = context;
    struct twin_wire *wire = lane->wire;
    uint64_t now_ns = twin_now_ns(wire->config.sim);

    while (lane->head != lane->tail) {
        size_t slot = lane->head & (lane->capacity - 1);
        struct twin_frame *frame = lane->frames[slot];

        if (lane->arrival_ns[slot] > now_ns) {
            twin_at(wire->config.sim, &lane->arrival, lane->arrival_ns[slot]);
            return;
        }
        lane->head++;
        if (wire->config.pcap != NULL && lane->towards_far) {
            pcap_frame(wire, frame);
        }
        lane->delivered++;
        lane->out.input(lane->out.context, frame);
    }
}

static void lane_grow(struct lane *lane) {
    size_t capacity = lane->capacity * 2;
    struct twin_frame **frames = twin_alloc(capacity, sizeof(frames[0]));
    uint64_t *arrival_ns = twin_alloc(capacity, sizeof(arrival_ns[0]));
    size_t count = lane->tail - lane->head;

    for (size_t i = 0; i < count; i++) {
        size_t slot = (lane->head + i) & (lane->capacity - 1);
        frames[i] = lane->frames[slot];
        arrival_ns[i] = lane->arrival_ns[slot];
    }
    free(lane->frames);
    free(lane->arrival_ns);
    lane->frames = frames;
    lane->arrival_ns = arrival_ns;
    lane->capacity = capacity;
    lane->head = 0;
    lane->tail = count;
}

static void lane_put(struct lane *lane, struct twin_frame *frame) {
    struct twin_wire *wire = lane->wire;
    size_t slot;

    if (lane->tail - lane->head == lane->capacity) {
        lane_grow(lane);
    }
    slot = lane->tail++ & (lane->capacity - 1);
    lane->frames[slot] = frame;
    lane->arrival_ns[slot] = twin_now_ns(wire->config.sim) + wire->config.delay_ns;
    if (!twin_event_queued(&lane->arrival)) {
        twin_at(wire->config.sim, &lane->arrival, lane->arrival_ns[slot]);
    }
}

static void lane_lose(struct lane *lane, struct twin_frame *frame) {
    lane->lost++;
    twin_loss_tell(&lane->wire->config.on_loss, frame);
    twin_frame_put(lane->wire->config.frames, frame);
}

// ---- faults

static void late_due(void *context) {
    struct late *late = context;
    struct late **at = &late->lane->wire->late;

    while (*at != late) {
        at = &(*at)->next;
    }
    *at = late->next;
    lane_put(late->lane, late->frame);
    free(late);
}

static void hold_back(struct lane *lane, struct twin_frame *frame, uint64_t time_ns) {
    struct late *late = twin_alloc(1, sizeof(*late));

    late->next = lane->wire->late;
    late->lane = lane;
    late->frame = frame;
    twin_event_init(&late->due, late_due, late);
    lane->wire->late = late;
    twin_after(lane->wire->config.sim, &late->due, time_ns);
}

// True: the frame is lost or comes later.
static bool lane_fault(struct lane *lane, struct twin_frame *frame) {
    struct twin_wire *wire = lane->wire;
    struct twin_faults *faults = wire->config.faults;
    struct twin_fault_what at = twin_fault_any();
    const struct twin_fault_what *what;

    at.direction = lane->towards_far ? 1 : 0;
    if (twin_faults_hit(faults, TWIN_WIRE_DROP, &at) != NULL) {
        lane_lose(lane, frame);
        return true;
    }
    what = twin_faults_hit(faults, TWIN_WIRE_DAMAGE, &at);
    if (what != NULL && frame->size_bytes > ETHERNET_BYTES) {
        twin_fault_flip(
            faults, what, frame->data + ETHERNET_BYTES, frame->size_bytes - ETHERNET_BYTES);
    }
    if (twin_faults_hit(faults, TWIN_WIRE_DOUBLE, &at) != NULL) {
        struct twin_frame *copy = twin_frame_get(wire->config.frames);

        copy->size_bytes = frame->size_bytes;
        memcpy(copy->data, frame->data, frame->size_bytes);
        lane_put(lane, copy);
    }
    what = twin_faults_hit(faults, TWIN_WIRE_DELAY, &at);
    if (what != NULL) {
        hold_back(lane, frame, what->time_ns);
        return true;
    }
    return false;
}

static void lane_input(void *context, struct twin_frame *frame) {
    struct lane *lane = context;
    struct twin_wire *wire = lane->wire;

    if (wire->config.pcap != NULL && !lane->towards_far) {
        pcap_frame(wire, frame);
    }
    if (wire->config.loss != 0 && twin_rng_hit(&lane->loss_rng, wire->config.loss)) {
        lane_lose(lane, frame);
        return;
    }
    if (wire->config.faults == NULL || !lane_fault(lane, frame)) {
        lane_put(lane, frame);
    }
}

// An end nobody has connected: what arrives there is gone.
static void open_end(void *context, struct twin_frame *frame) {
    struct lane *lane = context;

    lane->lost++;
    lane->delivered--;  // it was counted on its way here
    twin_loss_tell(&lane->wire->config.on_loss, frame);
    twin_frame_put(lane->wire->config.frames, frame);
}

static void lane_init(struct lane *lane, struct twin_wire *wire, const char *name) {
    lane->wire = wire;
    lane->towards_far = lane == &wire->to_far;
    twin_event_init(&lane->arrival, lane_arrive, lane);
    twin_rng_init(&lane->loss_rng, wire->config.sim, name);
    lane->out = (struct twin_port){.input = open_end, .context = lane};
    lane->capacity = QUEUE_START_FRAMES;
    lane->frames = twin_alloc(lane->capacity, sizeof(lane->frames[0]));
    lane->arrival_ns = twin_alloc(lane->capacity, sizeof(lane->arrival_ns[0]));
}

static void lane_release(struct lane *lane) {
    struct twin_wire *wire = lane->wire;

    twin_cancel(wire->config.sim, &lane->arrival);
    for (; lane->head != lane->tail; lane->head++) {
        twin_frame_put(wire->config.frames, lane->frames[lane->head & (lane->capacity - 1)]);
    }
    free(lane->frames);
    free(lane->arrival_ns);
}

// ---- the wire

struct twin_wire *twin_wire_new(const struct twin_wire_config *config) {
    struct twin_wire *wire = twin_alloc(1, sizeof(*wire));

    wire->config = *config;
    lane_init(&wire->to_far, wire, "wire to far");
    lane_init(&wire->to_near, wire, "wire to near");
    if (config->pcap != NULL) {
        pcap_begin(config->pcap);
    }
    return wire;
}

void twin_wire_free(struct twin_wire *wire) {
    if (wire == NULL) {
        return;
    }
    while (wire->late != NULL) {
        struct late *late = wire->late;

        wire->late = late->next;
        twin_cancel(wire->config.sim, &late->due);
        twin_frame_put(wire->config.frames, late->frame);
        free(late);
    }
    lane_release(&wire->to_far);
    lane_release(&wire->to_near);
    free(wire);
}

struct twin_port twin_wire_near(struct twin_wire *wire) {
    return (struct twin_port){.input = lane_input, .context = &wire->to_far};
}

struct twin_port twin_wire_far(struct twin_wire *wire) {
    return (struct twin_port){.input = lane_input, .context = &wire->to_near};
}

void twin_wire_connect_near(struct twin_wire *wire, struct twin_port port) {
    wire->to_near.out = port;
}

void twin_wire_connect_far(struct twin_wire *wire, struct twin_port port) {
    wire->to_far.out = port;
}

void twin_wire_get_counters(const struct twin_wire *wire, struct twin_wire_counters *counters) {
    *counters = (struct twin_wire_counters){
        .to_far = wire->to_far.delivered,
        .to_near = wire->to_near.delivered,
        .lost_to_far = wire->to_far.lost,
        .lost_to_near = wire->to_near.lost,
    };
}

uint64_t twin_wire_lost(const struct twin_wire *wire) {
    return wire->to_far.lost + wire->to_near.lost;
}
