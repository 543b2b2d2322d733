// SPDX-License-Identifier: MIT
// Faults: a seeded script of what goes wrong in a world, and how often each line of it did.
//
// One line is one fault: the name of a lever, what it does, and when.
//
//     bus-flip fn=2 p=0.001 for=2s        # one bit in a thousand reads of frames
//     credit-hold at=3s for=2s
//     event type=deauth-ind reason=7 at=5s repeat=10s count=3
//
// When: at=T (from the start of the world), for=T, repeat=T, after=N, every=N, count=N, p=P. A
// lever is pulled by an opportunity (a transaction, a frame, a reply, ...), lasts for a while, or
// acts once. docs/reference/faults.md has all levers, their words and an example each.
//
// The models ask twin_faults_hit() and twin_faults_active() where a fault may strike; a world
// without faults passes NULL, which costs one branch. Each fault has a random stream of its own, so
// that one more line moves no other.
#ifndef CORADIO_TWIN_FAULTS_H
#define CORADIO_TWIN_FAULTS_H

#include "coradio_twin/sim.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// By opportunity; as long as it lasts; once.
enum twin_fault_kind { TWIN_FAULT_HIT, TWIN_FAULT_STATE, TWIN_FAULT_ACTION };

// lever, name, kind, words it takes beside those of time, what it does
// clang-format off
#define TWIN_FAULT_LEVERS(X)                                                                       \
    X(BUS_FLIP, "bus-flip", HIT, "bits fn dir", "a transaction with wrong bits")                   \
    X(BUS_ONES, "bus-ones", HIT, "fn dir", "a transaction lost, the data line reads ones")         \
    X(BUS_ZEROS, "bus-zeros", HIT, "fn dir", "a transaction lost, the data line reads zeros")      \
    X(BUS_SHIFT, "bus-shift", HIT, "value above fn", "a read that comes late by so many bits")     \
    X(BUS_DELAY, "bus-delay", STATE, "time", "data takes this long from the clock's edge")         \
    X(NOT_READY, "not-ready", STATE, "", "function 2 takes nothing")                               \
    X(ABSENT, "absent", STATE, "", "the chip answers nothing")                                     \
    X(WAKE_TIME, "wake-time", HIT, "time", "power on: time to the first answer")                   \
    X(HT_TIME, "ht-time", HIT, "time", "firmware start: time to the fast clock")                   \
    X(F2_TIME, "f2-time", HIT, "time", "firmware start: from the fast clock to frames")            \
    X(FIRMWARE_DEAD, "firmware-dead", HIT, "", "firmware start: it does not run")                  \
    X(SEQUENCE_START, "sequence-start", HIT, "value", "firmware start: first number of a frame")   \
    X(RX_DROP, "rx-drop", HIT, "channel", "a frame to the host is lost")                           \
    X(RX_DOUBLE, "rx-double", HIT, "channel", "a frame to the host comes twice")                   \
    X(RX_DELAY, "rx-delay", HIT, "channel time", "a frame to the host comes late")                 \
    X(RX_DAMAGE, "rx-damage", HIT, "channel bits", "a frame to the host has wrong bits")           \
    X(RX_CUT, "rx-cut", HIT, "channel value", "a frame to the host lacks its last bytes")          \
    X(RX_LENGTH, "rx-length", HIT, "channel value", "the status word announces this length")       \
    X(RX_FIELD, "rx-field", HIT, "channel field value", "a field of the header has this value")    \
    X(RX_FIFO, "rx-fifo", STATE, "value", "room for so many frames to the host")                   \
    X(TX_DROP, "tx-drop", HIT, "channel", "a frame from the host is lost in the chip")             \
    X(TX_DOUBLE, "tx-double", HIT, "", "a data frame from the host is sent twice")                 \
    X(TX_DELAY, "tx-delay", HIT, "time", "a data frame from the host is held back")                \
    X(TX_DAMAGE, "tx-damage", HIT, "bits", "a data frame from the host has wrong bits")            \
    X(TX_CUT, "tx-cut", HIT, "value", "a data frame from the host lacks its last bytes")           \
    X(CREDIT_HOLD, "credit-hold", STATE, "", "no new credit is told")                              \
    X(CREDIT_WINDOW, "credit-window", STATE, "value", "frames it takes in advance")                \
    X(CREDIT_VALUE, "credit-value", HIT, "value", "the credit told is the next number and this")   \
    X(FLOW, "flow", STATE, "value", "the flow mask of all headers")                                \
    X(REPLY_DROP, "reply-drop", HIT, "name type", "a reply is lost")                               \
    X(REPLY_DOUBLE, "reply-double", HIT, "name type", "a reply comes twice")                       \
    X(REPLY_DELAY, "reply-delay", HIT, "name type time", "a reply comes late")                     \
    X(REPLY_STATUS, "reply-status", HIT, "name type value", "a request is refused with a code")    \
    X(REPLY_ID, "reply-id", HIT, "name type value", "a reply whose id is off by this")             \
    X(REPLY_CUT, "reply-cut", HIT, "name type value", "a reply without its last bytes")            \
    X(EVENT, "event", ACTION, "type status reason flags", "an event nothing has caused")           \
    X(EVENT_DROP, "event-drop", HIT, "type", "an event is lost")                                   \
    X(EVENT_DOUBLE, "event-double", HIT, "type", "an event comes twice")                           \
    X(EVENT_DELAY, "event-delay", HIT, "type time", "an event comes late")                         \
    X(EVENT_CHANGE, "event-change", HIT, "type status reason flags", "an event says otherwise")    \
    X(LINE_LOW, "line-low", STATE, "", "the line calls never")                                     \
    X(LINE_HIGH, "line-high", STATE, "", "the line calls always")                                  \
    X(LINE_STORM, "line-storm", STATE, "time", "the line calls with this period, for nothing")     \
    X(LINE_MISS, "line-miss", HIT, "", "a rise of the line that the board does not see")           \
    X(CHIP_HANG, "chip-hang", STATE, "", "the firmware stands still; the bus answers")             \
    X(CHIP_RESTART, "chip-restart", ACTION, "", "the firmware stops and is not started again")     \
    X(CHIP_BROWNOUT, "chip-brownout", ACTION, "", "the chip is as after power on")                 \
    X(NO_SAE, "no-sae", STATE, "", "a firmware without WPA3")                                      \
    X(NO_MONITOR, "no-monitor", STATE, "", "a firmware that refuses monitor mode")                 \
    X(CHANNELS, "channels", STATE, "value", "a firmware that knows channels up to this one")       \
    X(AP_OFF, "ap-off", STATE, "", "the access point is gone, and forgets its stations")           \
    X(AP_DEAUTH, "ap-deauth", ACTION, "reason", "the access point throws the station out")         \
    X(AP_DISASSOC, "ap-disassoc", ACTION, "reason", "the same with a disassociation")              \
    X(AP_FORGET, "ap-forget", ACTION, "", "the access point forgets the station, silently")        \
    X(AP_AGE, "ap-age", STATE, "time reason", "silent stations are forgotten after this time")     \
    X(AP_AUTH_REFUSE, "ap-auth-refuse", HIT, "status", "authentication is refused")                \
    X(AP_REFUSE, "ap-refuse", HIT, "status", "association is refused")                             \
    X(AP_FULL, "ap-full", HIT, "", "the access point takes no more stations")                      \
    X(AP_REKEY, "ap-rekey", ACTION, "", "the group key is exchanged")                              \
    X(AP_BUFFER, "ap-buffer", STATE, "value", "frames it holds for a station")                     \
    X(AIR_LOSS, "air-loss", STATE, "loss", "chance that an MPDU is not received")                  \
    X(AIR_RATE, "air-rate", STATE, "value", "the rate, as MCS 0..7")                               \
    X(WIRE_DROP, "wire-drop", HIT, "dir", "a frame is lost behind the access point")               \
    X(WIRE_DOUBLE, "wire-double", HIT, "dir", "a frame comes twice")                               \
    X(WIRE_DELAY, "wire-delay", HIT, "dir time", "a frame is late: others overtake it")            \
    X(WIRE_DAMAGE, "wire-damage", HIT, "dir bits", "a frame with wrong bits")
// clang-format on

enum twin_lever {
#define X(lever, name, kind, words, text) TWIN_##lever,
    TWIN_FAULT_LEVERS(X)
#undef X
        TWIN_LEVER_COUNT,
};

#define TWIN_FAULT_ANY        UINT32_MAX
#define TWIN_FAULT_NAME_BYTES 32

// What a fault does; fields its lever does not take are 0, or TWIN_FAULT_ANY for those that select.
struct twin_fault_what {
    int64_t value;
    uint32_t bits;
    uint64_t time_ns;
    uint32_t chance;  // loss, as of twin_chance()
    uint64_t above_hz;
    uint32_t field;  // offset in the header
    uint32_t status;
    uint32_t reason;
    uint32_t flags;
    bool value_given;
    bool status_given;
    bool reason_given;
    bool flags_given;
    // Which opportunities count.
    uint32_t function;   // of the bus
    uint32_t direction;  // 0 read, down; 1 write, up
    uint32_t channel;    // 0 control, 1 event, 2 data, 16 frames that only carry credit
    uint32_t type;       // number of an event or of a request
    char name[TWIN_FAULT_NAME_BYTES];  // of an iovar; empty: any
};

struct twin_fault;
struct twin_faults;

struct twin_faults *twin_faults_new(struct twin_sim *sim);
void twin_faults_free(struct twin_faults *faults);

// Adds one line; empty lines and what follows a # are nothing. False: error says what to write.
bool twin_faults_add(struct twin_faults *faults, const char *line, char error[256]);
// Adds a script: lines, or parts between semicolons.
bool twin_faults_script(struct twin_faults *faults, const char *script, char error[256]);

// For reports, in the order they were added.
uint32_t twin_faults_count(const struct twin_faults *faults);
const char *twin_faults_text(const struct twin_faults *faults, uint32_t index);
const char *twin_faults_lever(const struct twin_faults *faults, uint32_t index);
uint64_t twin_faults_fired(const struct twin_faults *faults, uint32_t index);
// How many have not struck at all.
uint32_t twin_faults_unfired(const struct twin_faults *faults);
// When the last one that ends by itself has ended; TWIN_NEVER: some never end. 0: none.
uint64_t twin_faults_end_ns(const struct twin_faults *faults);

// ---- for the models; faults may be NULL

// An opportunity for this lever; `at` says which one. The fault that strikes, NULL: none.
const struct twin_fault_what *twin_faults_hit(
    struct twin_faults *faults, enum twin_lever lever, const struct twin_fault_what *at);
// The first fault of this lever, whether or not it may strike now; NULL: none.
const struct twin_fault_what *twin_faults_next(
    const struct twin_faults *faults, enum twin_lever lever);
// The fault of this lever that holds now, and makes a difference now; NULL: none.
const struct twin_fault_what *twin_faults_active(struct twin_faults *faults, enum twin_lever lever);
// The same, asked by one who only looks: it does not count as having struck.
const struct twin_fault_what *twin_faults_peek(
    const struct twin_faults *faults, enum twin_lever lever);
// What selects nothing.
struct twin_fault_what twin_fault_any(void);
// A transaction has come: faults that begin after so many of them begin now.
void twin_faults_tick(struct twin_faults *faults);
// Flips the fault's number of bits at random places.
void twin_fault_flip(
    struct twin_faults *faults, const struct twin_fault_what *what, uint8_t *data, uint32_t bytes);

// Told when a state begins and ends and when an action is due. Returns whether it is the listener's
// and made a difference.
typedef bool (*twin_fault_fn)(
    void *context, enum twin_lever lever, const struct twin_fault_what *what, bool begins);
void twin_faults_listen(struct twin_faults *faults, twin_fault_fn told, void *context);
void twin_faults_unlisten(struct twin_faults *faults, const void *context);

#ifdef __cplusplus
}
#endif

#endif
