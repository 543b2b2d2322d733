// SPDX-License-Identifier: MIT
// Units: sizes, times and rates as people write them, into exact integers and back.
//
// A parse function returns NULL when the text is good, else a phrase that says what is wrong with
// it and what to write instead ("has no unit coradio knows; use ..."). Nothing is rounded: text
// that is no whole number of the base unit is refused, as are signs, spaces, junk and overflow.
#ifndef TOOLS_COMMON_UNITS_H
#define TOOLS_COMMON_UNITS_H

#include <stddef.h>
#include <stdint.h>

#define UNITS_TEXT_SIZE 32  // room for any text a format function makes

// "1500", "64MiB", "10M", "1.5k": k M G T are powers of 1000, Ki Mi Gi Ti of 1024; a B may follow.
const char *units_parse_size(const char *text, uint64_t *size_bytes);

// "3s", "200ms", "50us", "10ns", "5min", "1h"; a bare number is seconds.
const char *units_parse_time(const char *text, uint64_t *time_ns);

// "10M", "500k", "1.5G", also "10Mbit/s" and "10Mbps"; powers of 1000.
const char *units_parse_rate(const char *text, uint64_t *rate_bps);

// "42", "0xA11142".
const char *units_parse_count(const char *text, uint64_t *count);

// "37.5", "0.01"; no sign, no exponent.
const char *units_parse_real(const char *text, double *value);

// Decimal units, three to four figures: "67.1 MB", "19.5 Mbit/s", "3.20 s". Each returns text.
char *units_format_size(char text[UNITS_TEXT_SIZE], uint64_t size_bytes);
char *units_format_rate(char text[UNITS_TEXT_SIZE], double rate_bps);
char *units_format_time(char text[UNITS_TEXT_SIZE], uint64_t time_ns);

#endif
