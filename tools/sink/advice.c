// SPDX-License-Identifier: MIT
// Advice: which address to give a board, and what may keep its bytes away. Best effort: what cannot
// be found out without more rights is left out, and nothing here stops the sink.
#include "parts.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void note(const struct sink *sink, const char *text) {
    fprintf(sink->config.log, "note: %s\n", text);
}

static unsigned prefix_bits(uint32_t mask) {
    unsigned bits = 0;

    for (; (mask & 0x80000000u) != 0; mask <<= 1) {
        bits++;
    }
    return bits;
}

static uint32_t v4_of(const struct sockaddr *address) {
    struct sockaddr_in v4;

    memcpy(&v4, address, sizeof(v4));
    return ntohl(v4.sin_addr.s_addr);
}

// True for the interfaces of virtual machines and containers on this host, where no board is.
static bool is_internal(const char *name) {
    static const char *const prefixes[] = {
        "docker", "br-", "veth", "virbr", "lxc", "cni", "flannel"};

    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0) {
            return true;
        }
    }
    return false;
}

static bool print_one(const struct sink *sink, const struct ifaddrs *each, bool any) {
    char host[SINK_HOST_SIZE];
    char network[SINK_HOST_SIZE];
    struct sockaddr_storage own = {0};

    if (each->ifa_addr == NULL || each->ifa_addr->sa_family != AF_INET ||
        (each->ifa_flags & IFF_UP) == 0 || is_internal(each->ifa_name)) {
        return false;
    }
    memcpy(&own, each->ifa_addr, sizeof(struct sockaddr_in));
    if (sink_address_is_loopback(&own) || (!any && !sink_address_same_host(&own, &sink->address))) {
        return false;
    }
    uint32_t mask = each->ifa_netmask == NULL ? 0xFFFFFFFFu : v4_of(each->ifa_netmask);
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    v4.sin_addr.s_addr = htonl(v4_of(each->ifa_addr) & mask);
    struct sockaddr_storage subnet = {0};
    memcpy(&subnet, &v4, sizeof(v4));
    fprintf(
        sink->config.log,
        "boards reach it at %s:%u (%s; a board in %s/%u needs no router)\n",
        sink_address_host(&own, host),
        (unsigned)sink_address_port(&sink->address),
        each->ifa_name,
        sink_address_host(&subnet, network),
        prefix_bits(mask));
    return true;
}

static void print_addresses(const struct sink *sink) {
    struct ifaddrs *list = NULL;
    bool any = sink_address_is_any(&sink->address);
    bool found = false;

    if (getifaddrs(&list) != 0) {
        return;
    }
    for (const struct ifaddrs *each = list; each != NULL; each = each->ifa_next) {
        found = print_one(sink, each, any) || found;
    }
    freeifaddrs(list);
    if (!found && any) {
        note(sink, "this machine has no address besides loopback; no board can reach it");
    }
}

// True when the file has the text in its first 4 kB.
static bool file_has(const char *path, const char *text) {
    char head[4096];
    FILE *file = fopen(path, "r");

    if (file == NULL) {
        return false;
    }
    head[fread(head, 1, sizeof(head) - 1, file)] = '\0';
    fclose(file);
    return strstr(head, text) != NULL;
}

// True when the kernel drops what comes in unless a rule lets it through; needs root and nft.
static bool nft_drops_input(void) {
    char line[512];
    bool drops = false;

    if (geteuid() != 0) {
        return false;
    }
    // A fixed command without any text from outside.
    FILE *pipe = popen("nft list chains 2>/dev/null", "re");  // NOLINT(cert-env33-c)
    if (pipe == NULL) {
        return false;
    }
    while (fgets(line, sizeof(line), pipe) != NULL) {
        bool input = strstr(line, "hook input") != NULL;
        drops = drops || (input && strstr(line, "policy drop") != NULL);
    }
    pclose(pipe);
    return drops;
}

static void print_firewall(const struct sink *sink) {
    FILE *log = sink->config.log;
    unsigned port = sink_address_port(&sink->address);

    if (file_has("/etc/ufw/ufw.conf", "\nENABLED=yes")) {
        fprintf(log, "note: ufw is on; let boards in with: sudo ufw allow %u\n", port);
    } else if (access("/run/firewalld.pid", F_OK) == 0) {
        fprintf(
            log,
            "note: firewalld is on; let boards in with: sudo firewall-cmd --add-port=%u/tcp "
            "--add-port=%u/udp\n",
            port,
            port);
    } else if (nft_drops_input()) {
        fprintf(
            log,
            "note: nftables drops what no rule lets in; port %u needs a rule in the input chain\n",
            port);
    }
}

// A machine whose own address is made up by what it runs in cannot be reached at that address.
static void print_nat(const struct sink *sink) {
    if (file_has("/proc/version", "icrosoft")) {
        note(
            sink,
            "this is WSL; unless its network is mirrored, Windows must forward the port (netsh "
            "interface portproxy) before a board can reach it");
    } else if (access("/.dockerenv", F_OK) == 0 || access("/run/.containerenv", F_OK) == 0) {
        note(
            sink,
            "this is a container; publish the port (-p PORT:PORT/tcp, /udp) or use the host's "
            "network, else no board reaches it");
    }
}

void sink_print_advice(const struct sink *sink) {
    if (sink_address_is_loopback(&sink->address)) {
        fprintf(
            sink->config.log,
            "note: only programs on this machine reach it; for a board give --listen 0.0.0.0:%u\n",
            (unsigned)sink_address_port(&sink->address));
        return;
    }
    print_addresses(sink);
    print_firewall(sink);
    print_nat(sink);
    fflush(sink->config.log);
}
