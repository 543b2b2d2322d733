// SPDX-License-Identifier: MIT
// CYW43 driver, inside: how its files call each other. poll() runs them in this order:
//
//     ops       transfers that are complete: status word, bits, result to whoever asked
//     jobs      which script is next: a start, a join, a leave, something that was asked for
//     script    its next step
//     receive   the chip's line and status: read what waits
//     transmit  credit, then a control request, then data frames pulled from the source
//     ladder    how long the chip has taken nothing, and what is done about it
//     pace      what keeps the next frame from being queued, and when to look again
#ifndef CYW43_DRIVER_H
#define CYW43_DRIVER_H

#include "wire/cyw43_event.h"
#include "wire/gspi.h"
#include "wire/sdpcm.h"

#include <stdbool.h>
#include <stdint.h>

#include "coradio/cyw43.h"

// ---- ops.c: transfers, queued here until the bus has room, completed in order

enum cyw43_op_kind {
    CYW43_OP_WINDOW,       // sets the backplane window
    CYW43_OP_REGISTER,     // the running script's; the value read goes there
    CYW43_OP_BLOCK_WRITE,  // of an image
    CYW43_OP_BLOCK_READ,
    CYW43_OP_STATUS,   // reads the status register
    CYW43_OP_CLEAR,    // clears the chip's error record
    CYW43_OP_LEFT,     // asks how much is left of the frame that was read last
    CYW43_OP_RESYNC,   // drops the frame at the chip's head
    CYW43_OP_TX_DATA,  // a frame of the source
    CYW43_OP_TX_CONTROL,
    CYW43_OP_RX,      // a frame of the chip
    CYW43_OP_CHECK,   // reads the test register
    CYW43_OP_LOG,     // of the chip's console
    CYW43_OP_ORPHAN,  // nobody waits for it any more
};

enum cyw43_space { CYW43_BUS, CYW43_DEVICE, CYW43_BACKPLANE };

// One register or block access.
struct cyw43_access {
    enum cyw43_op_kind kind;
    enum cyw43_space space;
    bool write;
    uint32_t address;
    uint32_t bytes;
    uint32_t value;       // written where data is NULL
    const uint8_t *data;  // bytes of it, copied
};

// Room for count more transfers.
bool cor_cyw43_ops_room(const struct cor_cyw43 *chip, uint32_t count);
// The next free transfer, cleared; it is queued by append(). There must be room.
struct cor_cyw43_op *cor_cyw43_op_next(struct cor_cyw43 *chip, enum cyw43_op_kind kind);
void cor_cyw43_op_append(struct cor_cyw43 *chip, const struct cor_cyw43_op *op);
// Takes up to two transfers: the window where it has to move, and the access.
void cor_cyw43_access(struct cor_cyw43 *chip, const struct cyw43_access *access);
// Bits of the transfers that the bus has not clocked yet.
uint32_t cor_cyw43_ops_bits(const struct cor_cyw43 *chip);
uint32_t cor_cyw43_xfer_bits(const struct cor_bus_xfer *xfer);
// Takes all complete transfers; true if there were any.
bool cor_cyw43_ops_complete(struct cor_cyw43 *chip);
// Forgets what is not on the bus yet, and what the rest was for.
void cor_cyw43_ops_abandon(struct cor_cyw43 *chip);
// Puts the clocked bits of a transfer under their purposes: command and status words by
// themselves, payload_bytes under payload, the rest under `rest`.
void cor_cyw43_tally(
    struct cor_cyw43 *chip,
    const struct cor_bus_xfer *xfer,
    enum cor_meter_purpose rest,
    uint32_t payload_bytes);

// ---- script.c: tables of steps

enum cyw43_step_kind {
    CYW43_STEP_END,
    CYW43_STEP_PAUSE,    // for bound_us
    CYW43_STEP_WRITE,    // a register
    CYW43_STEP_UNTIL,    // reads a register each period_us until it is value under mask
    CYW43_STEP_SKIP,     // reads a register once; where it is value under mask, skips steps
    CYW43_STEP_CALL,     // calls until it returns something but COR_AGAIN
    CYW43_STEP_BRANCH,   // calls once; where it returns COR_OK, skips steps
    CYW43_STEP_CONTROL,  // one control request and its reply
};

// Some 250 of them are in the tables, so they are kept small.
struct cor_cyw43_step {
    uint8_t kind;   // enum cyw43_step_kind
    uint8_t space;  // enum cyw43_space
    uint8_t bytes;  // of the register; CONTROL: of the value (4: value, 8: interface 0 and value),
                    // or of the reply
    uint8_t skip;
    uint16_t command;
    bool set;
    int8_t failure;  // enum cor_status of UNTIL and CALL in bound_us, of CONTROL when refused;
                     // COR_OK: a refused request is only counted
    uint32_t value;
    uint32_t period_us;
    uint32_t bound_us;
    union {
        uint32_t address;
        const char *name;                                 // CONTROL: of a firmware variable
        enum cor_status (*call)(struct cor_cyw43 *chip);  // CALL, BRANCH
    };
    union {
        uint32_t mask;
        // CONTROL: takes the reply. COR_AGAIN: the step again.
        enum cor_status (*take)(struct cor_cyw43 *chip, const uint8_t *reply, uint16_t reply_bytes);
    };
    // Writes the value of a request, returns its bytes.
    uint16_t (*fill)(struct cor_cyw43 *chip, uint8_t *at);
};

enum cyw43_script_kind {
    CYW43_SCRIPT_START,
    CYW43_SCRIPT_JOIN,
    CYW43_SCRIPT_LEAVE,
    CYW43_SCRIPT_JOB,
};

void cor_cyw43_script_start(
    struct cor_cyw43 *chip, enum cyw43_script_kind kind, const struct cor_cyw43_step *steps);
bool cor_cyw43_script_run(struct cor_cyw43 *chip);
// The register access of the running step is complete.
void cor_cyw43_script_register(struct cor_cyw43 *chip, const struct cor_cyw43_op *op);
uint64_t cor_cyw43_script_deadline_us(const struct cor_cyw43 *chip);

// ---- bringup.c: from power off to ready

extern const struct cor_cyw43_step cor_cyw43_bringup_steps[];
enum cor_cyw43_bus_fault cor_cyw43_bus_fault_of(
    uint32_t word, uint32_t expected, enum cor_gspi_order order);
// A word of the proof was wrong. True: the proof begins again, with another sampling or rate.
bool cor_cyw43_proof_failed(struct cor_cyw43 *chip, enum cor_cyw43_bus_fault fault);

// ---- load.c: images into the chip's memory, read back

enum cor_status cor_cyw43_load_firmware(struct cor_cyw43 *chip);
enum cor_status cor_cyw43_load_nvram(struct cor_cyw43 *chip);
enum cor_status cor_cyw43_load_trailer(struct cor_cyw43 *chip);
void cor_cyw43_load_block(struct cor_cyw43 *chip, const struct cor_cyw43_op *op);

// ---- control.c: one request at a time

enum cyw43_control_phase { CYW43_CONTROL_IDLE, CYW43_CONTROL_WAITING, CYW43_CONTROL_SENT };

// The value of the request to fill: room for COR_CYW43_CONTROL_BYTES_MAX.
uint8_t *cor_cyw43_control_value(struct cor_cyw43 *chip);
void cor_cyw43_control_start(
    struct cor_cyw43 *chip, uint16_t command, bool set, uint16_t value_bytes);
// COR_AGAIN: no reply yet. COR_OK, COR_E_CHIP (control.chip_status says why), COR_E_TIMEOUT.
enum cor_status cor_cyw43_control_result(struct cor_cyw43 *chip);
void cor_cyw43_control_input(struct cor_cyw43 *chip, const uint8_t *cdc, uint32_t size_bytes);

// ---- settings.c: values of the requests of a start, and what they read back as

extern const struct cor_cyw43_step cor_cyw43_settings_steps[];

// ---- power_save.c: setting it, and reading it back

// The power-save word that config asks for.
void cor_cyw43_pm_ask(struct cor_cyw43 *chip);
uint16_t cor_cyw43_pm_fill(struct cor_cyw43 *chip, uint8_t *at);
uint16_t cor_cyw43_sleep_fill(struct cor_cyw43 *chip, uint8_t *at);
uint16_t cor_cyw43_beacons_fill(struct cor_cyw43 *chip, uint8_t *at);
uint16_t cor_cyw43_dtims_fill(struct cor_cyw43 *chip, uint8_t *at);
uint16_t cor_cyw43_associate_fill(struct cor_cyw43 *chip, uint8_t *at);
enum cor_status cor_cyw43_pm_take(struct cor_cyw43 *chip, const uint8_t *reply, uint16_t bytes);
enum cor_status cor_cyw43_sleep_take(struct cor_cyw43 *chip, const uint8_t *reply, uint16_t bytes);
enum cor_status cor_cyw43_beacons_take(
    struct cor_cyw43 *chip, const uint8_t *reply, uint16_t bytes);
enum cor_status cor_cyw43_dtims_take(struct cor_cyw43 *chip, const uint8_t *reply, uint16_t bytes);
enum cor_status cor_cyw43_associate_take(
    struct cor_cyw43 *chip, const uint8_t *reply, uint16_t bytes);

// ---- join.c: the requests of a join and a leave, and the events that decide them

extern const struct cor_cyw43_step cor_cyw43_join_steps[];
extern const struct cor_cyw43_step cor_cyw43_leave_steps[];
void cor_cyw43_event(struct cor_cyw43 *chip, const struct cor_cyw43_event *event);

// ---- link.c: what becomes of a network: joined, lost, joined again

void cor_cyw43_join_failed(struct cor_cyw43 *chip, enum cor_status status);
// The chip has been told to leave after a failure.
void cor_cyw43_join_left(struct cor_cyw43 *chip);
void cor_cyw43_join_succeeded(struct cor_cyw43 *chip);
void cor_cyw43_link_lost(struct cor_cyw43 *chip, enum cor_link_cause cause, uint32_t code);
// Joins where an attempt is due.
bool cor_cyw43_link_run(struct cor_cyw43 *chip);
uint64_t cor_cyw43_link_deadline_us(const struct cor_cyw43 *chip);

// ---- jobs.c: what is asked for while the chip is up

enum cyw43_job {
    CYW43_JOB_NONE,
    CYW43_JOB_LEAVE,
    CYW43_JOB_PM,
    CYW43_JOB_GROUPS,
    CYW43_JOB_GPIO,
    CYW43_JOB_LOG,
    CYW43_JOB_REQUEST,
    CYW43_JOB_SCAN,
    CYW43_JOB_LIVENESS,
    CYW43_JOB_MEASURE,
    CYW43_JOB_RAW,
    CYW43_JOB_COUNT,
};

void cor_cyw43_job_want(struct cor_cyw43 *chip, enum cyw43_job job);
// Starts the script that is next, where none runs.
bool cor_cyw43_jobs_run(struct cor_cyw43 *chip);
void cor_cyw43_job_failed(struct cor_cyw43 *chip, enum cor_status status);
// The chip is started anew or off: whoever waits for something is told.
void cor_cyw43_jobs_abort(struct cor_cyw43 *chip);
// After a start: settings that were kept.
void cor_cyw43_jobs_replay(struct cor_cyw43 *chip);
uint64_t cor_cyw43_jobs_deadline_us(const struct cor_cyw43 *chip);

// ---- job_steps.c: the scripts of the jobs

extern const struct cor_cyw43_step cor_cyw43_pm_steps[];
extern const struct cor_cyw43_step cor_cyw43_groups_steps[];
extern const struct cor_cyw43_step cor_cyw43_gpio_steps[];
extern const struct cor_cyw43_step cor_cyw43_measure_steps[];
extern const struct cor_cyw43_step cor_cyw43_liveness_steps[];
extern const struct cor_cyw43_step cor_cyw43_raw_steps[];

// ---- scan.c

extern const struct cor_cyw43_step cor_cyw43_scan_steps[];
void cor_cyw43_scan_event(struct cor_cyw43 *chip, const struct cor_cyw43_event *event);
void cor_cyw43_scan_end(struct cor_cyw43 *chip, enum cor_status status);

// ---- console.c: the firmware's own text

extern const struct cor_cyw43_step cor_cyw43_console_steps[];
void cor_cyw43_console_input(struct cor_cyw43 *chip, const struct cor_cyw43_op *op);

// ---- ladder.c: from the first sign of trouble to a rebuild

// Whether the gate is closed by the chip, since when, and what that calls for.
bool cor_cyw43_ladder_run(struct cor_cyw43 *chip);
uint64_t cor_cyw43_ladder_deadline_us(const struct cor_cyw43 *chip);
uint64_t cor_cyw43_check_due_us(const struct cor_cyw43 *chip);
void cor_cyw43_check_queue(struct cor_cyw43 *chip);
// The test register was read in operation.
void cor_cyw43_check_input(struct cor_cyw43 *chip, const struct cor_cyw43_op *op);
// Something came that only a working chip sends.
void cor_cyw43_heard(struct cor_cyw43 *chip);
// A request had no reply.
void cor_cyw43_unanswered(struct cor_cyw43 *chip);
// The bus gives nothing that can be true.
void cor_cyw43_bus_dead(struct cor_cyw43 *chip, enum cor_cyw43_bus_fault fault);
// The chip is of no use any more, and why: it is started anew, or FAILED.
void cor_cyw43_fail(struct cor_cyw43 *chip, enum cor_status status);
void cor_cyw43_recovered(struct cor_cyw43 *chip);

// ---- cyw43.c

void cor_cyw43_power_down(struct cor_cyw43 *chip, enum cor_radio_state state);
// All that a chip without power has forgotten is forgotten here too.
void cor_cyw43_run_reset(struct cor_cyw43 *chip);
void cor_cyw43_tell(struct cor_cyw43 *chip, enum cor_cyw43_notice notice, int32_t value);
uint32_t cor_cyw43_text_bytes(const char *text, uint32_t max_bytes);

// ---- receive.c

// A transfer's status word, in the order of completion.
void cor_cyw43_status_input(struct cor_cyw43 *chip, const struct cor_cyw43_op *op);
void cor_cyw43_frame_input(struct cor_cyw43 *chip, struct cor_cyw43_op *op);
bool cor_cyw43_receive(struct cor_cyw43 *chip);
uint64_t cor_cyw43_receive_deadline_us(const struct cor_cyw43 *chip);

// ---- transmit.c

// Frames the chip still takes.
int32_t cor_cyw43_credit(const struct cor_cyw43 *chip);
void cor_cyw43_credit_input(struct cor_cyw43 *chip, const struct cor_sdpcm *sdpcm, uint64_t at_us);
bool cor_cyw43_transmit(struct cor_cyw43 *chip);
uint64_t cor_cyw43_transmit_deadline_us(const struct cor_cyw43 *chip);

// ---- pace.c: the chronograph

void cor_cyw43_pace_enter(struct cor_cyw43 *chip);
void cor_cyw43_pace_complete(struct cor_cyw43 *chip, const struct cor_bus_xfer *xfer);
// What kept the next frame may have gone away at at_us, where it was `state`.
void cor_cyw43_pace_free(struct cor_cyw43 *chip, enum cor_meter_state state, uint64_t at_us);
void cor_cyw43_pace_received(struct cor_cyw43 *chip, uint64_t at_us);
// A frame that takes so many bits of the bus is about to be queued.
void cor_cyw43_pace_pulled(struct cor_cyw43 *chip, uint32_t frame_bits);
// It was queued; and handed to the bus, or not yet.
void cor_cyw43_pace_queued(struct cor_cyw43 *chip, bool handed);
void cor_cyw43_pace_clock(struct cor_cyw43 *chip);
uint64_t cor_cyw43_pace_deadline_us(const struct cor_cyw43 *chip);

#endif
