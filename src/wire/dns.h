// SPDX-License-Identifier: MIT
// DNS: questions and resource records (RFC 1035 4), for the resolver and for mDNS (RFC 6762).
//
//     0    2       4          6         8           10
//     | id | flags | question | answer  | authority | additional |   counts, 2 bytes each
//     followed by questions: name, type, class
//     and records:           name, type, class, TTL (4), length (2), data
//
// A name is a row of labels, each with its length (1..63) before it, and a zero at the end; two
// bits set in a length make a pointer to an earlier place where the name goes on. Names here are
// kept without pointers: "wire names", COR_DNS_NAME_BYTES_MAX at most, the zero included.
#ifndef CORADIO_WIRE_DNS_H
#define CORADIO_WIRE_DNS_H

#include <stdbool.h>
#include <stdint.h>

#include "coradio/status.h"

#define COR_DNS_PORT            53  // specified (RFC 1035 4.2.1)
#define COR_DNS_HEADER_BYTES    12
#define COR_DNS_NAME_BYTES_MAX  255  // specified (RFC 1035 2.3.4)
#define COR_DNS_LABEL_BYTES_MAX 63

// Flags, specified (RFC 1035 4.1.1).
#define COR_DNS_RESPONSE      0x8000
#define COR_DNS_OPCODE        0x7800
#define COR_DNS_AUTHORITATIVE 0x0400
#define COR_DNS_TRUNCATED     0x0200
#define COR_DNS_RECURSE       0x0100
#define COR_DNS_CODE          0x000F

// Response codes, specified (RFC 1035 4.1.1).
#define COR_DNS_NO_ERROR 0
#define COR_DNS_NO_NAME  3

// Types, specified (RFC 1035 3.2.2, 3.2.3; RFC 2782; RFC 4034 4).
#define COR_DNS_A     1
#define COR_DNS_CNAME 5
#define COR_DNS_SOA   6
#define COR_DNS_PTR   12
#define COR_DNS_TXT   16
#define COR_DNS_SRV   33
#define COR_DNS_NSEC  47
#define COR_DNS_ANY   255

// Classes, specified (RFC 1035 3.2.4, 3.2.5), and what mDNS makes of the top bit: in a question, an
// answer by unicast is welcome; in a record, older ones of the name are to be forgotten
// (RFC 6762 5.4, 10.2).
#define COR_DNS_IN         1
#define COR_DNS_CLASS_ANY  255
#define COR_DNS_CLASS_MASK 0x7FFF
#define COR_DNS_CLASS_FLAG 0x8000

struct cor_dns_header {
    uint16_t id;
    uint16_t flags;
    uint16_t question_count;
    uint16_t answer_count;
    uint16_t authority_count;
    uint16_t additional_count;
};

// A message to read: all of it, from the header on, because names point backwards.
struct cor_dns_message {
    const uint8_t *data;
    uint32_t size_bytes;
    uint32_t at;  // the next thing to read
    struct cor_dns_header header;
};

// Names are given as where they start in the message.
struct cor_dns_question {
    uint32_t name;
    uint16_t type;
    uint16_t class;
};

struct cor_dns_record {
    uint32_t name;
    uint16_t type;
    uint16_t class;
    uint32_t ttl_s;  // as it stands there
    uint32_t data;   // where the record's data start
    uint16_t data_bytes;
};

// --- Read ---

// COR_E_PROTO: too short for a header.
COR_MUST_CHECK enum cor_status cor_dns_parse(
    struct cor_dns_message *message, const uint8_t *data, uint32_t size_bytes);

// Read the next question or record and move on. COR_E_PROTO: it does not end within the message,
// or its name is not one.
COR_MUST_CHECK enum cor_status cor_dns_parse_question(
    struct cor_dns_message *message, struct cor_dns_question *question);
COR_MUST_CHECK enum cor_status cor_dns_parse_record(
    struct cor_dns_message *message, struct cor_dns_record *record);

// Copies the name at `at` without pointers. Returns its length with the zero, COR_E_PROTO when it
// is too long, leaves the message or points anywhere but backwards.
COR_MUST_CHECK int32_t cor_dns_name_read(
    const struct cor_dns_message *message, uint32_t at, uint8_t name[COR_DNS_NAME_BYTES_MAX]);

// Is the name at `at` this wire name? Letters are equal in both cases (RFC 1035 2.3.3).
bool cor_dns_name_is(const struct cor_dns_message *message, uint32_t at, const uint8_t *name);

// --- Wire names ---

// From text, with or without the last dot: labels of 1 to 63 bytes, any byte but a dot. Returns the
// length with the zero, COR_E_ARG when the text is no name.
COR_MUST_CHECK int32_t
cor_dns_name_from_text(const char *text, uint8_t name[COR_DNS_NAME_BYTES_MAX]);

// Length of a wire name, the zero included.
uint32_t cor_dns_name_bytes(const uint8_t *name);

bool cor_dns_name_equal(const uint8_t *left, const uint8_t *right);

// The lower case of an ASCII letter, any other byte unchanged.
static inline uint8_t cor_dns_lower(uint8_t byte) {
    return byte >= 'A' && byte <= 'Z' ? (uint8_t)(byte + ('a' - 'A')) : byte;
}

// --- Write ---

void cor_dns_header_emit(const struct cor_dns_header *header, uint8_t *at);

#endif
