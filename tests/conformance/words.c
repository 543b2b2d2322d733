// SPDX-License-Identifier: MIT
// Words: numbers, times, addresses and segments of a script line.
#include "script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool words_wrong(struct words *words, const char *what, const char *word) {
    snprintf(words->error, SCRIPT_ERROR_BYTES, "%s: \"%.80s\"", what, word);
    return false;
}

bool words_split(struct words *words, const char *line) {
    words->count = 0;
    if (strlen(line) >= sizeof(words->text)) {
        return words_wrong(words, "line too long", line);
    }
    memcpy(words->text, line, strlen(line) + 1);
    words->text[strcspn(words->text, "#\r\n")] = 0;
    char *rest = words->text;
    for (char *word = strtok_r(rest, " \t", &rest); word != NULL;
         word = strtok_r(rest, " \t", &rest)) {
        if (words->count == SCRIPT_WORDS_MAX) {
            return words_wrong(words, "too many words, from", word);
        }
        words->word[words->count++] = word;
    }
    return true;
}

bool words_number(const char *text, int64_t *value) {
    char *end;

    if (*text == 0) {
        return false;
    }
    *value = strtoll(text, &end, 0);
    return *end == 0;
}

bool words_time(const char *text, uint64_t *time_us) {
    static const struct {
        const char *unit;
        uint64_t us;
    } units[] = {{"us", 1}, {"ms", 1000}, {"s", 1000000}, {"min", 60000000}, {"h", 3600000000}};
    char *end;
    uint64_t whole = strtoull(text, &end, 10);
    uint64_t fraction = 0;
    uint64_t scale = 1;

    if (end == text) {
        return false;
    }
    if (*end == '.') {
        for (end++; *end >= '0' && *end <= '9'; end++) {
            fraction = fraction * 10 + (uint64_t)(*end - '0');
            scale *= 10;
        }
    }
    if (*end == 0 && whole == 0 && fraction == 0) {
        *time_us = 0;
        return true;
    }
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (strcmp(end, units[i].unit) == 0) {
            *time_us = whole * units[i].us + fraction * units[i].us / scale;
            return true;
        }
    }
    return false;
}

bool words_address(const char *text, uint32_t *address) {
    *address = 0;
    for (uint32_t i = 0; i < 4; i++) {
        char *end;
        unsigned long byte = strtoul(text, &end, 10);

        if (end == text || byte > 255 || *end != (i < 3 ? '.' : 0)) {
            return false;
        }
        *address = *address << 8 | (uint32_t)byte;
        text = end + 1;
    }
    return true;
}

const char *words_value(const char *word, const char *key) {
    size_t size = strlen(key);

    return strncmp(word, key, size) == 0 && word[size] == '=' ? word + size + 1 : NULL;
}

static bool take_hex(const char *text, uint8_t *bytes, uint32_t *size) {
    uint32_t n = 0;

    for (; text[0] != 0; text += 2, n++) {
        const char pair[3] = {text[0], text[1], 0};
        char *end;

        if (n == SEGMENT_OPTIONS_BYTES || text[1] == 0) {
            return false;
        }
        bytes[n] = (uint8_t)strtoul(pair, &end, 16);
        if (*end != 0) {
            return false;
        }
    }
    *size = n;
    return true;
}

// "1..1461,2921..4381"
static bool take_blocks(const char *text, struct segment *segment) {
    while (segment->block_count < SEGMENT_BLOCKS_MAX) {
        struct segment_block *block = &segment->blocks[segment->block_count++];
        char *end;

        block->left = (uint32_t)strtoll(text, &end, 0);
        if (end == text || strncmp(end, "..", 2) != 0) {
            return false;
        }
        text = end + 2;
        block->right = (uint32_t)strtoll(text, &end, 0);
        if (end == text) {
            return false;
        }
        if (*end == 0) {
            return true;
        }
        text = end + 1;
        if (*end != ',') {
            return false;
        }
    }
    return false;
}

static bool take_flag(const char *word, struct segment *segment) {
    static const char *const names[8] = {"FIN", "SYN", "RST", "PSH", "ACK", "URG", "ECE", "CWR"};

    for (uint32_t i = 0; i < 8; i++) {
        if (strcmp(word, names[i]) == 0) {
            segment->flags |= 1U << i;
            segment->given |= i == 3 ? FIELD_PSH : 0;
            return true;
        }
    }
    return false;
}

// Words that stand alone.
static bool take_bare(const char *word, struct segment *segment) {
    int64_t count;

    if (take_flag(word, segment)) {
        return true;
    }
    if (strcmp(word, "sackok") == 0) {
        segment->given |= FIELD_SACK_OK;
    } else if (strcmp(word, "ts") == 0) {
        segment->given |= FIELD_TIMES;
    } else if (strcmp(word, "badsum") == 0) {
        segment->sum_wrong = true;
    } else if (strcmp(word, "badipsum") == 0) {
        segment->ip_sum_wrong = true;
    } else if (strcmp(word, "group") == 0) {
        segment->group_frame = true;
    } else if (strcmp(word, "ACK?") == 0) {
        segment->flags |= FLAG_ACK;
        segment->given |= FIELD_ACK_OPEN;
    } else if (strcmp(word, "sack?") == 0) {
        segment->given |= FIELD_BLOCKS_OPEN;
    } else if (strcmp(word, "fresh") == 0) {
        segment->given |= FIELD_FRESH;
    } else if (strcmp(word, "any") == 0) {
        segment->any = true;
    } else if (strcmp(word, "none") == 0) {
        segment->flags = 0;  // says aloud that no flag is set
    } else if (strcmp(word, "ICMP") == 0) {
        segment->kind = KIND_ICMP;
    } else if (strcmp(word, "ARP") == 0) {
        segment->kind = KIND_ARP;
    } else if (word[0] == 'x' && words_number(word + 1, &count) && count > 0) {
        segment->count = (uint32_t)count;
    } else {
        return false;
    }
    return true;
}

// What an expect line says must not be there.
static bool take_absent(const char *word, struct segment *segment) {
    static const struct {
        const char *word;
        uint32_t field;
    } names[] = {
        {"-mss", FIELD_MSS},
        {"-wscale", FIELD_SHIFT},
        {"-sackok", FIELD_SACK_OK},
        {"-ts", FIELD_TIMES},
    };

    if (strcmp(word, "-PSH") == 0) {
        segment->given |= FIELD_PSH;
        return true;
    }
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(word, names[i].word) == 0) {
            segment->absent |= names[i].field;
            return true;
        }
    }
    return false;
}

// "key=number"; the field it sets in `given`, if any.
static bool take_number(const char *word, struct segment *segment) {
    const struct {
        const char *key;
        uint32_t *value;
        uint32_t field;
    } keys[] = {
        {"seq", &segment->seq, FIELD_SEQ},
        {"ack", &segment->ack, FIELD_ACK},
        {"win", &segment->window, FIELD_WINDOW},
        {"len", &segment->size_bytes, 0},
        {"urg", &segment->urgent, FIELD_URGENT},
        {"mss", &segment->mss_bytes, FIELD_MSS},
        {"wscale", &segment->shift, FIELD_SHIFT},
        {"ts", &segment->time_value, FIELD_TIMES},
        {"tsecr", &segment->time_echo, FIELD_ECHO},
        {"sport", &segment->from_port, FIELD_FROM_PORT},
        {"dport", &segment->to_port, FIELD_TO_PORT},
        {"offset", &segment->offset, FIELD_OFFSET},
        {"frag", &segment->fragment, FIELD_FRAGMENT},
        {"ttl", &segment->ttl, FIELD_TTL},
        {"tos", &segment->tos, FIELD_TOS},
        {"sum", &segment->sum, FIELD_SUM},
        {"pad", &segment->trailer_bytes, 0},
        {"res", &segment->reserved, 0},
        {"type", &segment->icmp_type, 0},
        {"code", &segment->icmp_code, 0},
        {"mtu", &segment->icmp_mtu_bytes, 0},
    };

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        const char *text = words_value(word, keys[i].key);
        int64_t value;

        if (text != NULL) {
            segment->given |= keys[i].field;
            bool good = words_number(text, &value);
            *keys[i].value = good ? (uint32_t)value : 0;
            return good;
        }
    }
    return false;
}

static bool take_other(const char *word, struct segment *segment) {
    const char *text;

    if ((text = words_value(word, "sack")) != NULL) {
        return take_blocks(text, segment);
    }
    if ((text = words_value(word, "opt")) != NULL) {
        return take_hex(text, segment->raw_options, &segment->raw_option_bytes);
    }
    if ((text = words_value(word, "ipopt")) != NULL) {
        return take_hex(text, segment->ip_options, &segment->ip_option_bytes) &&
               segment->ip_option_bytes % 4 == 0;
    }
    if ((text = words_value(word, "src")) != NULL) {
        segment->given |= FIELD_FROM;
        return words_address(text, &segment->from);
    }
    if ((text = words_value(word, "dst")) != NULL) {
        segment->given |= FIELD_TO;
        return words_address(text, &segment->to);
    }
    return false;
}

bool words_segment(struct words *words, size_t first, bool expect, struct segment *segment) {
    memset(segment, 0, sizeof(*segment));
    segment->count = 1;
    for (size_t i = first; i < words->count; i++) {
        const char *word = words->word[i];

        if (!take_bare(word, segment) && !take_number(word, segment) &&
            !take_other(word, segment) && !(expect && take_absent(word, segment))) {
            return words_wrong(words, "not a word of a segment", word);
        }
    }
    if (segment->kind != KIND_TCP || segment->any) {
        return true;
    }
    bool acks = (segment->flags & FLAG_ACK) != 0;
    bool free = (segment->given & FIELD_ACK_OPEN) != 0;
    if (!free && acks != ((segment->given & FIELD_ACK) != 0)) {
        return words_wrong(words, "ACK and ack= go together", words->word[first - 1]);
    }
    if ((segment->given & FIELD_SEQ) == 0 && (segment->flags & FLAG_SYN) == 0) {
        return words_wrong(words, "no seq=, and no SYN", words->word[first - 1]);
    }
    return true;
}
