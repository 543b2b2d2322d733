// SPDX-License-Identifier: MIT
#include "control/client.h"

#include "common/clock.h"
#include "control/link.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "coradio/app_control.h"

enum { LINE_BYTES_MAX = 1 << 20, READ_BYTES = 4096 };

#define REPLY_NS UINT64_C(5000000000)
#define RUN_NS   UINT64_C(600000000000)

struct control_link {
    struct link link;
    struct control_setup setup;
    char *line;  // what has come of the line at work
    size_t line_bytes;
    size_t line_room;
    uint32_t id;
    bool broken;
    cJSON *identity;
};

__attribute__((format(printf, 2, 3))) static void *fail(
    char error[CONTROL_ERROR_BYTES], const char *format, ...) {
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(error, CONTROL_ERROR_BYTES, format, arguments);
    va_end(arguments);
    return NULL;
}

// ---- lines

static bool send_line(struct control_link *link, const char *line) {
    size_t size = strlen(line);

    while (size > 0) {
        ssize_t done = write(link->link.socket, line, size);

        if (done > 0) {
            line += done;
            size -= (size_t)done;
        } else if (done < 0 && errno == EAGAIN) {
            struct pollfd wait = {.fd = link->link.socket, .events = POLLOUT};

            if (poll(&wait, 1, 1000) <= 0) {
                return false;
            }
        } else if (done < 0 && errno != EINTR) {
            link->broken = true;
            return false;
        }
    }
    return true;
}

static bool store(struct control_link *link, const char *data, size_t size) {
    if (link->line_bytes + size + 1 > link->line_room) {
        size_t room = 2 * (link->line_bytes + size + 1);
        char *grown = room > LINE_BYTES_MAX ? NULL : realloc(link->line, room);

        if (grown == NULL) {
            return false;
        }
        link->line = grown;
        link->line_room = room;
    }
    memcpy(link->line + link->line_bytes, data, size);
    link->line_bytes += size;
    link->line[link->line_bytes] = '\0';
    return true;
}

// Takes the first whole line out of the buffer and parses it. NULL: none is there, or it was no
// JSON object (a board's other output), which is passed over.
static cJSON *take_object(struct control_link *link, bool *more) {
    char *end = link->line_bytes == 0 ? NULL : memchr(link->line, '\n', link->line_bytes);
    cJSON *object;
    size_t size;

    *more = end != NULL;
    if (end == NULL) {
        return NULL;
    }
    *end = '\0';
    object = cJSON_Parse(link->line);
    size = (size_t)(end - link->line) + 1;
    link->line_bytes -= size;
    memmove(link->line, link->line + size, link->line_bytes);
    if (object != NULL && !cJSON_IsObject(object)) {
        cJSON_Delete(object);
        object = NULL;
    }
    return object;
}

// The next object; NULL when none came in time or the link broke.
static cJSON *next_object(struct control_link *link, uint64_t until_ns) {
    char data[READ_BYTES];

    for (;;) {
        bool more = true;
        cJSON *object = NULL;
        uint64_t now_ns = clock_now_ns();
        struct pollfd wait = {.fd = link->link.socket, .events = POLLIN};
        ssize_t got;

        while (more && object == NULL) {
            object = take_object(link, &more);
        }
        if (object != NULL || now_ns >= until_ns) {
            return object;
        }
        if (poll(&wait, 1, (int)((until_ns - now_ns) / 1000000 + 1)) <= 0) {
            continue;
        }
        got = read(link->link.socket, data, sizeof(data));
        if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN) ||
            (got > 0 && !store(link, data, (size_t)got))) {
            link->broken = true;
            return NULL;
        }
    }
}

static const char *text_in(const cJSON *object, const char *name) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);

    return cJSON_IsString(item) ? item->valuestring : "";
}

static bool is_for(const cJSON *object, uint32_t id) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, "id");

    return cJSON_IsNumber(item) && item->valuedouble == (double)id;
}

// The reply to a line, or the end of a run (`event`), by its number.
static cJSON *await(struct control_link *link, uint32_t id, const char *event, uint64_t wait_ns) {
    uint64_t until_ns = clock_now_ns() + wait_ns;

    for (;;) {
        cJSON *object = next_object(link, until_ns);

        if (object == NULL ||
            (is_for(object, id) && strcmp(text_in(object, "event"), event) == 0)) {
            return object;
        }
        cJSON_Delete(object);
    }
}

cJSON *control_command(
    struct control_link *link, const char *line, char error[CONTROL_ERROR_BYTES]) {
    char text[512];
    cJSON *reply;

    link->id++;
    snprintf(text, sizeof(text), "%u %s\n", link->id, line);
    reply = send_line(link, text) ? await(link, link->id, "", link->setup.reply_ns) : NULL;
    if (reply == NULL) {
        return fail(
            error,
            link->broken ? "%s: the board went away" : "%s: no answer to '%.40s'; is it a board?",
            link->setup.address,
            strncmp(line, "key=", 4) == 0 ? "key" : line);
    }
    if (!cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(reply, "ok"))) {
        snprintf(error, CONTROL_ERROR_BYTES, "%.300s", text_in(reply, "error"));
        cJSON_Delete(reply);
        return NULL;
    }
    return reply;
}

// ---- opening

static bool prove(struct control_link *link, char error[CONTROL_ERROR_BYTES]) {
    uint64_t until_ns = clock_now_ns() + link->setup.reply_ns;
    cJSON *hello = next_object(link, until_ns);
    char line[80];
    char proof[65];
    cJSON *reply;

    if (hello == NULL || strcmp(text_in(hello, "event"), "hello") != 0) {
        cJSON_Delete(hello);
        fail(
            error,
            "%s: no greeting; turn control over TCP on at the board's console "
            "(secret=..., tcp=on)",
            link->setup.address);
        return false;
    }
    if (link->setup.secret == NULL) {
        cJSON_Delete(hello);
        fail(error, "%s: give the board's secret with --secret-file", link->setup.address);
        return false;
    }
    cor_control_proof(link->setup.secret, text_in(hello, "challenge"), proof);
    cJSON_Delete(hello);
    snprintf(line, sizeof(line), "auth %s", proof);
    reply = control_command(link, line, error);
    if (reply == NULL) {
        fail(error, "%s: this is not the secret of that board", link->setup.address);
    }
    cJSON_Delete(reply);
    return reply != NULL;
}

static bool greet(struct control_link *link, char error[CONTROL_ERROR_BYTES]) {
    const cJSON *protocol;

    // Ends what half a line may stand in the board's buffer; an empty line has no reply.
    if (!link->link.tcp && !send_line(link, "\n")) {
        fail(error, "%s: it takes no bytes; is a board behind it?", link->setup.address);
        return false;
    }
    if (link->link.tcp && !prove(link, error)) {
        return false;
    }
    link->identity = control_command(link, "identify", error);
    if (link->identity == NULL) {
        return false;
    }
    protocol = cJSON_GetObjectItemCaseSensitive(link->identity, "protocol");
    if (!cJSON_IsNumber(protocol) || protocol->valueint != COR_CONTROL_PROTOCOL) {
        fail(
            error,
            "%s: speaks another version of the control protocol; this is version %u",
            link->setup.address,
            COR_CONTROL_PROTOCOL);
        return false;
    }
    return true;
}

struct control_link *control_open(
    const struct control_setup *setup, char error[CONTROL_ERROR_BYTES]) {
    struct control_link *link = calloc(1, sizeof(*link));

    if (link == NULL) {
        return fail(error, "not enough memory");
    }
    link->setup = *setup;
    link->setup.reply_ns = setup->reply_ns == 0 ? REPLY_NS : setup->reply_ns;
    link->setup.run_ns = setup->run_ns == 0 ? RUN_NS : setup->run_ns;
    // Numbers that an earlier program on the same port did not use, most likely.
    link->id = (uint32_t)(clock_now_ns() >> 10) % 1000000000u;
    if (!link_open(&link->link, setup->address, error)) {
        free(link);
        return NULL;
    }
    if (!greet(link, error)) {
        control_close(link);
        return NULL;
    }
    return link;
}

void control_close(struct control_link *link) {
    if (link == NULL) {
        return;
    }
    link_close(&link->link);
    cJSON_Delete(link->identity);
    free(link->line);
    free(link);
}

const cJSON *control_identity(const struct control_link *link) {
    return link->identity;
}

const char *control_address(const struct control_link *link) {
    return link->setup.address;
}

bool control_broken(const struct control_link *link) {
    return link->broken;
}

// ---- a run

static bool send_settings(
    struct control_link *link, const char *settings, char error[CONTROL_ERROR_BYTES]) {
    cJSON *reply = control_command(link, "reset", error);
    char word[COR_CONTROL_LINE_BYTES + 1];

    while (reply != NULL) {
        size_t size;

        cJSON_Delete(reply);
        settings += strspn(settings, " \t");
        size = strcspn(settings, " \t");
        if (size == 0) {
            return true;
        }
        if (size >= sizeof(word) || memchr(settings, '=', size) == NULL) {
            fail(error, "'%.60s' is no setting; write KEY=VALUE", settings);
            return false;
        }
        snprintf(word, sizeof(word), "%.*s", (int)size, settings);
        settings += size;
        reply = control_command(link, word, error);
    }
    return false;
}

cJSON *control_run(
    struct control_link *link, const char *settings, char error[CONTROL_ERROR_BYTES]) {
    char stopped[CONTROL_ERROR_BYTES];
    cJSON *reply;
    cJSON *report;
    cJSON *end;

    reply = send_settings(link, settings, error) ? control_command(link, "start", error) : NULL;
    if (reply == NULL) {
        return NULL;
    }
    cJSON_Delete(reply);
    end = await(link, link->id, "end", link->setup.run_ns);
    if (end == NULL) {
        fail(
            error,
            link->broken ? "%s: the board went away" : "%s: the run did not end in time",
            link->setup.address);
        if (!link->broken) {
            cJSON_Delete(control_command(link, "stop", stopped));
        }
        return NULL;
    }
    report = cJSON_DetachItemFromObjectCaseSensitive(end, "report");
    if (strcmp(text_in(end, "status"), "COR_OK") != 0 || !cJSON_IsObject(report)) {
        fail(error, "%s: the run failed: %s", link->setup.address, text_in(end, "status"));
        cJSON_Delete(report);
        report = NULL;
    }
    cJSON_Delete(end);
    return report;
}
