// SPDX-License-Identifier: MIT
// The services of our stack as a program on a TAP device, for the interop script: DHCP, then names
// by DNS whenever there is a new lease, and mDNS all the while. Says on stdout what happens, one
// line an event; ends with a goodbye and a release on SIGTERM.
#include "common/exit_code.h"
#include "common/options.h"
#include "common/signals.h"
#include "loop.h"
#include "tap.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "coradio/dhcp.h"
#include "coradio/dns.h"
#include "coradio/igmp.h"
#include "coradio/ip4.h"
#include "coradio/mdns.h"

#define NAMES_MAX  8
#define GROUPS     4
#define ENTRIES    8
#define GOODBYE_US 1500000  // a release takes 1 s at most

struct values {
    const char *tap;
    const char *names;
    bool quick;
};

struct question {
    struct host *host;
    char name[128];
};

struct host {
    struct values values;
    struct cor_tap tap;
    struct cor_net net;
    struct cor_dhcp dhcp;
    struct cor_igmp igmp;
    struct cor_igmp_group groups[GROUPS];
    struct cor_mdns mdns;
    enum cor_mdns_state mdns_state;
    struct cor_dns dns;
    struct cor_dns_query queries[NAMES_MAX];
    struct cor_dns_entry entries[ENTRIES];
    struct question questions[NAMES_MAX];
    uint32_t question_count;
    bool ask;
};

#define AT(member) OPTION_AT(struct values, member)

static const struct option_row rows[] = {
    {"tap", OPTION_TEXT, "NAME", "TAP device to be on", .at = AT(tap)},
    {"names", OPTION_TEXT, "A,B", "names to look up", .at = AT(names)},
    {"quick", OPTION_FLAG, NULL, "probe for the address in less than a second", .at = AT(quick)},
};

static const struct options_spec spec = {
    .command = "services",
    .usage = "--tap NAME [--names A,B] [--quick]",
    .summary = "The services of our stack as a program, for the interop script.",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
};

static void resolved(void *context, const struct cor_dns_result *result) {
    const struct question *question = context;
    char text[COR_IP4_TEXT_BYTES];

    printf("name %s %s", question->name, cor_status_name(result->status));
    for (uint32_t i = 0; i < result->count; i++) {
        printf(" %s", cor_ip4_text(result->addresses[i], text));
    }
    printf("\n");
}

static void lease_changed(void *context, const struct cor_dhcp_lease *lease) {
    struct host *host = context;
    char text[2][COR_IP4_TEXT_BYTES];

    if (lease == NULL) {
        printf("lost\n");
        cor_dns_set_servers(&host->dns, NULL, 0);
        return;
    }
    printf(
        "bound %s gateway %s lease %" PRIu32 " domain %s\n",
        cor_ip4_text(lease->address, text[0]),
        cor_ip4_text(lease->gateway, text[1]),
        lease->lease_s,
        lease->domain);
    cor_dns_set_servers(&host->dns, lease->dns, lease->dns_count);
    host->ask = true;
}

static void ask_all(struct host *host, uint64_t now_us) {
    host->ask = false;
    for (uint32_t i = 0; i < host->question_count; i++) {
        struct question *question = &host->questions[i];
        int32_t number = cor_dns_ask(&host->dns, question->name, resolved, question, now_us);

        if (number < 0) {
            printf("name %s %s\n", question->name, cor_status_name((enum cor_status)number));
        }
    }
}

static void look_at_mdns(struct host *host) {
    char text[2][COR_MDNS_LABEL_BYTES_MAX + 1];

    if (cor_mdns_state(&host->mdns) == host->mdns_state) {
        return;
    }
    host->mdns_state = cor_mdns_state(&host->mdns);
    printf(
        "mdns %s: %s, %s\n",
        cor_mdns_state_text(host->mdns_state),
        cor_mdns_host_text(&host->mdns, text[0]),
        cor_mdns_instance_text(&host->mdns, text[1]));
}

static uint64_t sooner(uint64_t left, uint64_t right) {
    return left < right ? left : right;
}

static uint64_t poll_services(struct host *host, uint64_t now_us) {
    uint64_t until_us = cor_dhcp_poll(&host->dhcp, now_us);

    if (host->ask) {
        ask_all(host, now_us);
    }
    until_us = sooner(until_us, cor_dns_poll(&host->dns, now_us));
    until_us = sooner(until_us, cor_mdns_poll(&host->mdns, now_us));
    look_at_mdns(host);
    return until_us;
}

static enum cor_status run(struct host *host) {
    struct pollfd stop = {.fd = signals_fd(), .events = POLLIN};
    enum cor_status status = COR_OK;

    cor_tap_start(&host->tap, cor_linux_now_us());
    cor_dhcp_start(&host->dhcp, cor_linux_now_us());
    status = cor_mdns_start(&host->mdns, cor_linux_now_us());
    while (status == COR_OK && !signals_stop_asked()) {
        uint64_t until_us = poll_services(host, cor_linux_now_us());

        status = cor_linux_poll(&host->tap, &host->net, until_us, &stop, 1);
    }
    cor_mdns_stop(&host->mdns, cor_linux_now_us());
    cor_dhcp_release(&host->dhcp, cor_linux_now_us());
    uint64_t end_us = cor_linux_now_us() + GOODBYE_US;
    while (status == COR_OK && cor_dhcp_state(&host->dhcp) != COR_DHCP_OFF &&
           cor_linux_now_us() < end_us) {
        uint64_t until_us = sooner(poll_services(host, cor_linux_now_us()), end_us);

        status = cor_linux_poll(&host->tap, &host->net, until_us, NULL, 0);
    }
    return status;
}

static void read_names(struct host *host) {
    const char *at = host->values.names != NULL ? host->values.names : "";

    while (*at != '\0' && host->question_count < NAMES_MAX) {
        struct question *question = &host->questions[host->question_count];
        size_t size = strcspn(at, ",");

        question->host = host;
        if (size > 0 && size < sizeof(question->name)) {
            memcpy(question->name, at, size);
            host->question_count++;
        }
        at += size + (at[size] == ',');
    }
}

static enum cor_status open_services(struct host *host, uint64_t now_us) {
    struct cor_net_config net = {.mac = {0x02, 0, 0, 0, 0, 0x42}};
    struct cor_dhcp_config dhcp = {
        .host_name = "pico",
        .check = host->values.quick ? COR_DHCP_CHECK_QUICK : COR_DHCP_CHECK_FULL,
        .changed = lease_changed,
        .context = host,
    };
    struct cor_dns_config dns = {
        .queries = host->queries,
        .query_count = NAMES_MAX,
        .entries = host->entries,
        .entry_count = ENTRIES,
    };
    struct cor_igmp_config igmp = {.groups = host->groups, .group_count = GROUPS};
    struct cor_mdns_config mdns = {
        .host = "pico",
        .instance = "Bench",
        .type = "_coradio._tcp",
        .port = 5001,
        .txt = (const uint8_t *)"\6path=/",
        .txt_bytes = 7,
    };

    if (cor_linux_secret(net.secret) != 0) {
        return COR_E_STATE;
    }
    cor_net_init(&host->net, &net, now_us);
    cor_dhcp_init(&host->dhcp, &host->net, &dhcp);
    cor_dns_init(&host->dns, &host->net, &dns);
    cor_igmp_init(&host->igmp, &host->net, &igmp);
    return cor_mdns_init(&host->mdns, &host->net, &host->igmp, &mdns);
}

int main(int argc, char **argv) {
    static struct host host;
    int code = options_parse(&spec, argc, argv, &host.values);

    if (code != OPTIONS_GO_ON) {
        return code;
    }
    if (host.values.tap == NULL) {
        return options_error(&spec, "--tap must be given");
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    read_names(&host);
    if (signals_catch() != 0 || open_services(&host, cor_linux_now_us()) != COR_OK) {
        return EXIT_CODE_ENVIRONMENT;
    }
    int error = cor_tap_open(&host.tap, host.values.tap, cor_net_frames(&host.net));
    if (error != 0) {
        fprintf(stderr, "services: cannot open '%s': %s\n", host.values.tap, strerror(error));
        return EXIT_CODE_ENVIRONMENT;
    }
    enum cor_status status = run(&host);
    printf("ended %s\n", cor_status_name(status));
    cor_tap_close(&host.tap, cor_linux_now_us());
    return status == COR_OK ? EXIT_CODE_DONE : EXIT_CODE_FAILED;
}
