// SPDX-License-Identifier: MIT
#include "device.h"

#include "common/exit_code.h"
#include "loop.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "coradio/bytes.h"
#include "coradio/ip4.h"

bool device_split(const char *text, char sign, uint32_t *address, uint64_t *number) {
    char first[COR_IP4_TEXT_BYTES];
    size_t length = strcspn(text, (const char[]){sign, '\0'});
    char *end;

    if (length >= sizeof(first)) {
        return false;
    }
    memcpy(first, text, length);
    first[length] = '\0';
    if (!cor_ip4_parse(first, address)) {
        return false;
    }
    if (text[length] == '\0') {
        return true;
    }
    *number = strtoull(text + length + 1, &end, 10);
    return end != text + length + 1 && *end == '\0';
}

int device_config(
    const struct options_spec *spec,
    const struct device_values *values,
    struct cor_net_config *config) {
    uint64_t bits = 24;

    if ((values->tap == NULL) == (values->unix_path == NULL)) {
        return options_error(spec, "one of --tap and --unix must be given");
    }
    if (values->address == NULL || !device_split(values->address, '/', &config->address, &bits) ||
        bits == 0 || bits > 32) {
        return options_error(spec, "--address must be given, as 10.77.0.2/24");
    }
    config->netmask = (uint32_t)(UINT64_MAX << (32 - bits));
    if (values->gateway != NULL && !cor_ip4_parse(values->gateway, &config->gateway)) {
        return options_error(spec, "--gateway: '%s' is no address", values->gateway);
    }
    // The same from run to run: a kernel does not believe a new address within a second.
    config->mac[0] = 0x02;
    cor_put_be32(config->mac + 2, config->address);
    config->mtu = 1500;
    return cor_linux_secret(config->secret) == 0 ? OPTIONS_GO_ON : EXIT_CODE_ENVIRONMENT;
}

static int open_unix(const char *path, struct cor_tap *tap, struct cor_net *net) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(path);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    int error;

    if (fd < 0) {
        return errno;
    }
    error = length < sizeof(address.sun_path) ? 0 : ENAMETOOLONG;
    if (error == 0) {
        memcpy(address.sun_path, path, length);
        error = connect(fd, (const struct sockaddr *)&address, sizeof(address)) == 0 ? 0 : errno;
    }
    if (error == 0) {
        error = cor_tap_attach(tap, fd, cor_net_frames(net));
    }
    if (error != 0) {
        close(fd);
    }
    return error;
}

int device_open(
    const struct options_spec *spec,
    const struct device_values *values,
    struct cor_tap *tap,
    struct cor_net *net) {
    const char *name = values->tap != NULL ? values->tap : values->unix_path;
    int error = values->tap != NULL ? cor_tap_open(tap, name, cor_net_frames(net))
                                    : open_unix(name, tap, net);

    if (error != 0) {
        fprintf(stderr, "%s: cannot open '%s': %s\n", spec->command, name, strerror(error));
        return EXIT_CODE_ENVIRONMENT;
    }
    return OPTIONS_GO_ON;
}

void device_print_counters(
    FILE *file,
    const char *prefix,
    const struct cor_counter_info *list,
    uint32_t count,
    const void *counters) {
    const uint64_t *values = counters;

    for (uint32_t i = 0; i < count; i++) {
        fprintf(file, "%s_%s %" PRIu64 "\n", prefix, list[i].name, values[i]);
    }
}

void device_print(FILE *file, const struct cor_net *net, const struct cor_tap *tap) {
    uint32_t count;
    const struct cor_counter_info *list = cor_net_counter_list(&count);

    device_print_counters(file, "net", list, count, cor_net_get_counters(net));
#define X(name, unit, text) fprintf(file, "tap_" #name " %" PRIu64 "\n", tap->counters.name);
    COR_TAP_COUNTERS(X)
#undef X
}
