// SPDX-License-Identifier: MIT
// Parts: what the files of the chip model ask of each other.
//
//   gspi.c           word orders, the command word, the appended status word
//   bus_registers.c  F0
//   backplane.c      F1: device registers, the window, cores, RAM
//   firmware.c       check of what was downloaded, and the ready handshake
//   sdpcm.c          frames on F2 in both directions
//   credit.c         sequence numbers, credit, frames that only carry credit
//   data.c           data frames between F2 and the MAC
//   ioctl.c          control requests
//   iovar.c          named variables
//   clm.c            the regulatory blob
//   event.c          events
//   join.c           joining, leaving, power save
//   scan.c           scans
//   fault.c          where the faults of a script strike
#ifndef TWIN_CYW43_PARTS_H
#define TWIN_CYW43_PARTS_H

#include "cyw43/chip.h"

// ---- chip.c

// What a firmware that stops forgets: frames, requests, the association.
void twin_cyw43_reset_firmware(struct twin_cyw43 *chip);
// Its MACs have the chip's address from now on.
void twin_cyw43_set_address(struct twin_cyw43 *chip);
// The supply dips: the chip is as after power on. Returns true.
bool twin_cyw43_brownout(struct twin_cyw43 *chip);
// A breach of the rules: counted, logged, and fatal in strict mode.
void twin_cyw43_deviate(struct twin_cyw43 *chip, const char *name);
// Looks at the interrupt line and calls back when its level has changed.
void twin_cyw43_update_irq(struct twin_cyw43 *chip);

// ---- gspi.c

void twin_cyw43_transfer(void *context, const struct twin_gspi_xfer *xfer);
// Copies up to size_bytes of the data from offset on; returns how many there were.
uint32_t twin_cyw43_copy(
    const struct wire_data *data, uint32_t offset, uint8_t *target, uint32_t size_bytes);
// Between wire and memory order, in place; both ways are the same exchange. Whole words only.
void twin_cyw43_reorder(enum wire_order order, uint8_t *bytes, uint32_t size_bytes);
struct gspi_command twin_cyw43_command(uint32_t word);
// The transaction as such, without faults of the bus.
void twin_cyw43_transact(struct twin_cyw43 *chip, const struct twin_gspi_xfer *xfer);

// ---- bus_registers.c

void twin_cyw43_reset_bus(struct twin_cyw43 *chip);
uint32_t twin_cyw43_status(const struct twin_cyw43 *chip);
uint16_t twin_cyw43_interrupts(const struct twin_cyw43 *chip);
// The bits of the registers from this address on, at least four bytes of them.
uint64_t twin_cyw43_f0_read(const struct twin_cyw43 *chip, uint32_t address);
void twin_cyw43_f0_write(
    struct twin_cyw43 *chip, uint32_t address, const uint8_t *data, uint32_t size_bytes);

// ---- backplane.c

void twin_cyw43_reset_backplane(struct twin_cyw43 *chip);
// Fills size_bytes of the target: what the host clocked behind the response delay.
void twin_cyw43_f1_read(
    struct twin_cyw43 *chip,
    const struct gspi_command *command,
    uint8_t *target,
    uint32_t size_bytes);
void twin_cyw43_f1_write(
    struct twin_cyw43 *chip,
    const struct gspi_command *command,
    const uint8_t *data,
    uint32_t size_bytes);
bool twin_cyw43_asleep(const struct twin_cyw43 *chip);

// ---- firmware.c

void twin_cyw43_start_firmware(struct twin_cyw43 *chip);
void twin_cyw43_stop_firmware(struct twin_cyw43 *chip);
bool twin_cyw43_f2_up(const struct twin_cyw43 *chip);

// ---- sdpcm.c

// The host's frame: size_bytes is the length of the command.
void twin_cyw43_f2_write(
    struct twin_cyw43 *chip, const struct wire_data *data, uint32_t size_bytes);
// Fills clocked_bytes of the target; length is that of the command.
void twin_cyw43_f2_read(
    struct twin_cyw43 *chip, uint32_t length, uint8_t *target, uint32_t clocked_bytes);
// True while an F2 write would be taken.
bool twin_cyw43_f2_takes(const struct twin_cyw43 *chip);
// What is left of the frame at the head, 0 without one.
uint32_t twin_cyw43_head_bytes(const struct twin_cyw43 *chip);
// The host gives up the frame at the head.
void twin_cyw43_abort_read(struct twin_cyw43 *chip);
// Queues a frame for the host; ownership passes. What stands in it is what follows the headers.
void twin_cyw43_push(struct twin_cyw43 *chip, struct twin_frame *frame, uint32_t channel);
// The same past the faults.
void twin_cyw43_enqueue(struct twin_cyw43 *chip, struct twin_frame *frame, uint32_t channel);

// ---- credit.c

void twin_cyw43_reset_credit(struct twin_cyw43 *chip);
// True: the frame with this sequence number is taken.
bool twin_cyw43_credit_input(struct twin_cyw43 *chip, uint8_t sequence);
// The credit for a header that is being read now.
uint8_t twin_cyw43_credit_tell(struct twin_cyw43 *chip);
// Sends a frame only for its credit, where the policy asks for one.
void twin_cyw43_credit_review(struct twin_cyw43 *chip);
// Sends one where nothing else waits that would carry what has changed.
void twin_cyw43_credit_tell_now(struct twin_cyw43 *chip);
// A header with this credit has reached the host, whatever was meant.
void twin_cyw43_credit_heard(struct twin_cyw43 *chip, uint8_t credit);
void twin_cyw43_credit_held(void *context);

// ---- data.c

void twin_cyw43_data_input(
    struct twin_cyw43 *chip, const struct wire_data *data, uint32_t offset, uint32_t size_bytes);
// Past the faults: into the MAC.
void twin_cyw43_hand_on(struct twin_cyw43 *chip, struct twin_frame *frame);
void twin_cyw43_release(struct twin_cyw43 *chip, struct twin_frame *frame);
void twin_cyw43_data_sent(void *context, struct twin_frame *frame, bool acked);
void twin_cyw43_data_received(void *context, struct twin_frame *frame);
void twin_cyw43_data_inside(void *context);
void twin_cyw43_drop_data(struct twin_cyw43 *chip);

// ---- ioctl.c

void twin_cyw43_ioctl_input(
    struct twin_cyw43 *chip, const struct wire_data *data, uint32_t offset, uint32_t size_bytes);
void twin_cyw43_ioctl_run(void *context);

// ---- iovar.c

void twin_cyw43_reset_iovars(struct twin_cyw43 *chip);
// What the aggregation variables make of the MAC in use.
void twin_cyw43_apply_aggregation(struct twin_cyw43 *chip);
// GET (set false) fills value from the front. The value is what stands behind the name for SET, and
// the whole buffer for GET; returns 0 or a negative code.
int32_t twin_cyw43_iovar(struct twin_cyw43 *chip, struct request *request, bool set);

// ---- clm.c

int32_t twin_cyw43_clm_input(struct twin_cyw43 *chip, const uint8_t *value, uint32_t size_bytes);

// ---- event.c

struct chip_event {
    uint32_t type;
    uint32_t status;
    uint32_t reason;
    uint32_t auth_type;
    uint16_t flags;
    uint8_t interface;
    uint8_t address[6];
};

void twin_cyw43_event(
    struct twin_cyw43 *chip,
    const struct chip_event *event,
    const uint8_t *data,
    uint32_t size_bytes);
// Lets the events that wait go on.
void twin_cyw43_event_arm(struct twin_cyw43 *chip);
void twin_cyw43_event_due(void *context);
void twin_cyw43_drop_events(struct twin_cyw43 *chip);

// ---- console.c

// A line of the firmware's own text.
void twin_cyw43_console(struct twin_cyw43 *chip, const char *text);

// ---- join.c

// bssid NULL: any.
void twin_cyw43_join(
    struct twin_cyw43 *chip, const uint8_t *ssid, uint32_t ssid_bytes, const uint8_t *bssid);
void twin_cyw43_join_found_none(void *context);
// The station leaves; with events if the host asked for it.
void twin_cyw43_leave(struct twin_cyw43 *chip, bool tell_host);
void twin_cyw43_ap_notice(void *context, enum twin_ap_notice notice, uint32_t reason);
void twin_cyw43_beacons_lost(void *context);
// Null frames with this period while in a network; 0: none.
void twin_cyw43_keep_alive(struct twin_cyw43 *chip, uint32_t period_ms);
void twin_cyw43_keep_alive_due(void *context);
void twin_cyw43_apply_power_save(struct twin_cyw43 *chip);

// ---- scan.c

int32_t twin_cyw43_scan(struct twin_cyw43 *chip, const uint8_t *value, uint32_t size_bytes);
void twin_cyw43_scan_result(void *context);
void twin_cyw43_scan_end(void *context);

// ---- fault.c, and fault_control.c for requests and events: asked only where there are faults

enum held_kind { HELD_TO_HOST, HELD_EVENT, HELD_TO_AIR };

// Holds a frame back for so long; its tag is the channel.
void twin_cyw43_hold(
    struct twin_cyw43 *chip, struct twin_frame *frame, enum held_kind kind, uint64_t time_ns);
struct twin_frame *twin_cyw43_copy_frame(struct twin_cyw43 *chip, const struct twin_frame *frame);
bool twin_cyw43_fault_send_event(struct twin_cyw43 *chip, const struct twin_fault_what *what);

void twin_cyw43_faults_init(struct twin_cyw43 *chip);
void twin_cyw43_faults_free(struct twin_cyw43 *chip);
// What was held back is gone, with the firmware that held it.
void twin_cyw43_faults_reset(struct twin_cyw43 *chip);
void twin_cyw43_fault_transfer(struct twin_cyw43 *chip, const struct twin_gspi_xfer *xfer);
// What the host's input sees by when it samples.
void twin_cyw43_sample(struct twin_cyw43 *chip, const struct twin_gspi_xfer *xfer);
// True: the frame to the host is not to be queued now.
bool twin_cyw43_fault_push(struct twin_cyw43 *chip, struct twin_frame *frame, uint32_t channel);
void twin_cyw43_fault_header(
    struct twin_cyw43 *chip, const struct twin_frame *frame, uint8_t *header);
// True: the frame of the host goes no further now; ownership passes with that.
bool twin_cyw43_fault_data(struct twin_cyw43 *chip, struct twin_frame *frame);
// The status that a request ends with.
int32_t twin_cyw43_fault_status(
    struct twin_cyw43 *chip, const struct request *request, int32_t status);
// True: the reply is not to be sent as it is.
bool twin_cyw43_fault_reply(
    struct twin_cyw43 *chip, const struct request *request, struct twin_frame *frame);
// True: the event is not to be queued now.
bool twin_cyw43_fault_event(struct twin_cyw43 *chip, uint32_t type, struct twin_frame *frame);
void twin_cyw43_fault_change(struct twin_cyw43 *chip, struct chip_event *event);
// The level of the line as the faults have it.
bool twin_cyw43_fault_line(const struct twin_cyw43 *chip, bool level);
// True: this rise of the line is not seen.
bool twin_cyw43_fault_rise(struct twin_cyw43 *chip);
// A time that a lever sets in place of the config's.
uint64_t twin_cyw43_fault_time(struct twin_cyw43 *chip, enum twin_lever lever, uint64_t time_ns);

#endif
