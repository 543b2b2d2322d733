// SPDX-License-Identifier: MIT
// Device: where the stack of an interop program is plugged in, and what its report says of it.
#ifndef INTEROP_DEVICE_H
#define INTEROP_DEVICE_H

#include "common/options.h"
#include "tap.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "coradio/net.h"

// The values of the options that DEVICE_ROWS describes.
struct device_values {
    const char *tap;
    const char *unix_path;
    const char *address;
    const char *gateway;
};

// Rows of an option table; `member` is a struct device_values in `type`.
// clang-format off
#define DEVICE_ROWS(type, member)                                                             \
    {"tap", OPTION_TEXT, "NAME", "TAP device to be on", .at = OPTION_AT(type, member.tap)},   \
    {"unix", OPTION_TEXT, "PATH", "socket of a bridge to be on",                              \
     .at = OPTION_AT(type, member.unix_path)},                                                \
    {"address", OPTION_TEXT, "A/BITS", "our address", .at = OPTION_AT(type, member.address)}, \
    {"gateway", OPTION_TEXT, "A", "gateway; default none",                                    \
     .at = OPTION_AT(type, member.gateway)}
// clang-format on

// "10.77.0.2/24" or "10.77.0.1:5001": an address and a number behind a sign. The number is left
// alone where there is none.
bool device_split(const char *text, char sign, uint32_t *address, uint64_t *number);

// Address, netmask, gateway, a hardware address that is the same from run to run, and the secret.
// OPTIONS_GO_ON or an exit code.
int device_config(
    const struct options_spec *spec,
    const struct device_values *values,
    struct cor_net_config *config);

// Opens it for frames of this net. OPTIONS_GO_ON or an exit code; says why on stderr.
int device_open(
    const struct options_spec *spec,
    const struct device_values *values,
    struct cor_tap *tap,
    struct cor_net *net);

// A struct of counters is its list of names, in this order.
void device_print_counters(
    FILE *file,
    const char *prefix,
    const struct cor_counter_info *list,
    uint32_t count,
    const void *counters);

// Those of the net and of the device.
void device_print(FILE *file, const struct cor_net *net, const struct cor_tap *tap);

#endif
