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
#ifndef TWIN_CYW43_PARTS_H
#define TWIN_CYW43_PARTS_H

#include "cyw43/chip.h"

// ---- chip.c

// What a firmware that stops forgets: frames, requests, the association.
void twin_cyw43_reset_firmware(struct twin_cyw43 *chip);
// A breach of the rules: counted, logged, and fatal in strict mode.
void twin_cyw43_deviate(struct twin_cyw43 *chip, const char *name);
// Looks at the interrupt line and calls back when its level has changed.
void twin_cyw43_update_irq(struct twin_cyw43 *chip);

// ---- gspi.c

void twin_cyw43_transfer(void *context, const struct twin_gspi_xfer *xfer);
// Copies up to size_bytes of the data from offset on; returns how many there were.
uint32_t twin_cyw43_copy(
    const struct wire_data *data, uint32_t offset, uint8_t *target, uint32_t size_bytes);

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

// ---- credit.c

void twin_cyw43_reset_credit(struct twin_cyw43 *chip);
// True: the frame with this sequence number is taken.
bool twin_cyw43_credit_input(struct twin_cyw43 *chip, uint8_t sequence);
// The credit for a header that is being read now.
uint8_t twin_cyw43_credit_tell(struct twin_cyw43 *chip);
// Sends a frame only for its credit, where the policy asks for one.
void twin_cyw43_credit_review(struct twin_cyw43 *chip);
void twin_cyw43_credit_held(void *context);

// ---- data.c

void twin_cyw43_data_input(
    struct twin_cyw43 *chip, const struct wire_data *data, uint32_t offset, uint32_t size_bytes);
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
void twin_cyw43_event_due(void *context);
void twin_cyw43_drop_events(struct twin_cyw43 *chip);

// ---- join.c

// bssid NULL: any.
void twin_cyw43_join(
    struct twin_cyw43 *chip, const uint8_t *ssid, uint32_t ssid_bytes, const uint8_t *bssid);
void twin_cyw43_join_found_none(void *context);
// The station leaves; with events if the host asked for it.
void twin_cyw43_leave(struct twin_cyw43 *chip, bool tell_host);
void twin_cyw43_apply_power_save(struct twin_cyw43 *chip);

// ---- scan.c

int32_t twin_cyw43_scan(struct twin_cyw43 *chip, const uint8_t *value, uint32_t size_bytes);
void twin_cyw43_scan_result(void *context);
void twin_cyw43_scan_end(void *context);

#endif
