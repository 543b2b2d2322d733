// SPDX-License-Identifier: MIT
#include "wire/dns.h"

#include <string.h>

#include "coradio/bytes.h"

// The first byte of a label: its length, or the first half of a pointer; the other two
// combinations of the top bits are not in use. Specified (RFC 1035 4.1.4).
#define POINTER      0xC0
#define POINTER_MASK 0x3FFF

// Type and class; and with TTL and length.
#define QUESTION_TAIL_BYTES 4
#define RECORD_TAIL_BYTES   10

// --- Names in a message ---

// A walk over the labels of a name, through its pointers.
struct walk {
    const struct cor_dns_message *message;
    uint32_t at;     // where the next label starts
    uint32_t limit;  // pointers point to before here: they only ever go backwards, so that each
                     // walk ends
    uint32_t end;    // behind the name where it stands, once that is known; else 0
    uint32_t name_bytes;  // so far
};

static struct walk walk_start(const struct cor_dns_message *message, uint32_t at) {
    return (struct walk){.message = message, .at = at, .limit = at};
}

// Follows pointers until `at` is at a label. False: the name is broken.
static bool follow(struct walk *walk) {
    const uint8_t *data = walk->message->data;

    // Each turn lowers the limit, and there are no more turns than bytes before the name.
    while (walk->at < walk->message->size_bytes && data[walk->at] >= POINTER) {
        if (walk->message->size_bytes - walk->at < 2) {
            return false;
        }
        uint32_t target = cor_get_be16(data + walk->at) & POINTER_MASK;
        if (target >= walk->limit || target < COR_DNS_HEADER_BYTES) {
            return false;
        }
        if (walk->end == 0) {
            walk->end = walk->at + 2;
        }
        walk->at = target;
        walk->limit = target;
    }
    return walk->at < walk->message->size_bytes;
}

// The next label with its length byte, NULL when the name is broken. A length of 0 ends the name.
static const uint8_t *next_label(struct walk *walk) {
    if (!follow(walk)) {
        return NULL;
    }
    const uint8_t *label = walk->message->data + walk->at;
    uint32_t size = 1U + label[0];

    if (label[0] > COR_DNS_LABEL_BYTES_MAX || walk->message->size_bytes - walk->at < size ||
        COR_DNS_NAME_BYTES_MAX - walk->name_bytes < size) {
        return NULL;
    }
    walk->name_bytes += size;
    walk->at += size;
    if (label[0] == 0 && walk->end == 0) {
        walk->end = walk->at;
    }
    return label;
}

int32_t cor_dns_name_read(
    const struct cor_dns_message *message, uint32_t at, uint8_t name[COR_DNS_NAME_BYTES_MAX]) {
    struct walk walk = walk_start(message, at);
    uint32_t used = 0;
    const uint8_t *label;

    do {
        label = next_label(&walk);
        if (label == NULL) {
            return COR_E_PROTO;
        }
        memcpy(name + used, label, 1U + label[0]);
        used = walk.name_bytes;
    } while (label[0] != 0);
    return (int32_t)used;
}

// Labels with their length bytes, which are below 'A'.
static bool label_equal(const uint8_t *left, const uint8_t *right) {
    for (uint32_t i = 0; i <= left[0]; i++) {
        if (cor_dns_lower(left[i]) != cor_dns_lower(right[i])) {
            return false;
        }
    }
    return true;
}

bool cor_dns_name_is(const struct cor_dns_message *message, uint32_t at, const uint8_t *name) {
    struct walk walk = walk_start(message, at);
    const uint8_t *label;

    do {
        label = next_label(&walk);
        if (label == NULL || label[0] != name[0] || !label_equal(label, name)) {
            return false;
        }
        name += 1U + name[0];
    } while (label[0] != 0);
    return true;
}

// Checks the name at message->at and moves behind it.
static bool skip_name(struct cor_dns_message *message) {
    struct walk walk = walk_start(message, message->at);
    const uint8_t *label;

    do {
        label = next_label(&walk);
        if (label == NULL) {
            return false;
        }
    } while (label[0] != 0);
    message->at = walk.end;
    return true;
}

// --- Questions and records ---

enum cor_status cor_dns_parse(
    struct cor_dns_message *message, const uint8_t *data, uint32_t size_bytes) {
    memset(message, 0, sizeof(*message));
    if (size_bytes < COR_DNS_HEADER_BYTES) {
        return COR_E_PROTO;
    }
    message->data = data;
    message->size_bytes = size_bytes;
    message->at = COR_DNS_HEADER_BYTES;
    message->header.id = cor_get_be16(data);
    message->header.flags = cor_get_be16(data + 2);
    message->header.question_count = cor_get_be16(data + 4);
    message->header.answer_count = cor_get_be16(data + 6);
    message->header.authority_count = cor_get_be16(data + 8);
    message->header.additional_count = cor_get_be16(data + 10);
    return COR_OK;
}

enum cor_status cor_dns_parse_question(
    struct cor_dns_message *message, struct cor_dns_question *question) {
    question->name = message->at;
    if (!skip_name(message) || message->size_bytes - message->at < QUESTION_TAIL_BYTES) {
        return COR_E_PROTO;
    }
    question->type = cor_get_be16(message->data + message->at);
    question->class = cor_get_be16(message->data + message->at + 2);
    message->at += QUESTION_TAIL_BYTES;
    return COR_OK;
}

enum cor_status cor_dns_parse_record(
    struct cor_dns_message *message, struct cor_dns_record *record) {
    record->name = message->at;
    if (!skip_name(message) || message->size_bytes - message->at < RECORD_TAIL_BYTES) {
        return COR_E_PROTO;
    }
    const uint8_t *tail = message->data + message->at;
    record->type = cor_get_be16(tail);
    record->class = cor_get_be16(tail + 2);
    record->ttl_s = cor_get_be32(tail + 4);
    record->data_bytes = cor_get_be16(tail + 8);
    record->data = message->at + RECORD_TAIL_BYTES;
    if (message->size_bytes - record->data < record->data_bytes) {
        return COR_E_PROTO;
    }
    message->at = record->data + record->data_bytes;
    return COR_OK;
}

// --- Wire names ---

int32_t cor_dns_name_from_text(const char *text, uint8_t name[COR_DNS_NAME_BYTES_MAX]) {
    uint32_t label = 0;  // where the length of the label stands
    uint32_t used = 1;

    for (; *text != '\0'; text++) {
        uint32_t label_bytes = used - label - 1;

        if (*text == '.') {
            if (label_bytes == 0) {
                return COR_E_ARG;
            }
            name[label] = (uint8_t)label_bytes;
            label = used;
        } else if (label_bytes == COR_DNS_LABEL_BYTES_MAX || used >= COR_DNS_NAME_BYTES_MAX - 1) {
            return COR_E_ARG;  // too long, or no room for the zero
        } else {
            name[used] = (uint8_t)*text;
        }
        used++;
    }
    if (used == 1) {
        return COR_E_ARG;
    }
    if (used - label == 1) {
        name[label] = 0;  // the text ended with a dot
        return (int32_t)used;
    }
    name[label] = (uint8_t)(used - label - 1);
    name[used] = 0;
    return (int32_t)used + 1;
}

uint32_t cor_dns_name_bytes(const uint8_t *name) {
    uint32_t used = 0;

    while (name[used] != 0) {
        used += 1U + name[used];
    }
    return used + 1;
}

bool cor_dns_name_equal(const uint8_t *left, const uint8_t *right) {
    while (left[0] == right[0] && left[0] != 0) {
        if (!label_equal(left, right)) {
            return false;
        }
        left += 1U + left[0];
        right += 1U + right[0];
    }
    return left[0] == right[0];
}

// --- Write ---

void cor_dns_header_emit(const struct cor_dns_header *header, uint8_t *at) {
    cor_put_be16(at, header->id);
    cor_put_be16(at + 2, header->flags);
    cor_put_be16(at + 4, header->question_count);
    cor_put_be16(at + 6, header->answer_count);
    cor_put_be16(at + 8, header->authority_count);
    cor_put_be16(at + 10, header->additional_count);
}
