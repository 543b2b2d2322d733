// SPDX-License-Identifier: MIT
#include "coradio/status.h"

const char *cor_status_name(enum cor_status status) {
    switch (status) {
#define X(name, value, text)                                                                       \
    case name:                                                                                     \
        return #name;
        COR_STATUSES(X)
#undef X
    default:
        return "unknown";
    }
}

const char *cor_status_text(enum cor_status status) {
    switch (status) {
#define X(name, value, text)                                                                       \
    case name:                                                                                     \
        return text;
        COR_STATUSES(X)
#undef X
    default:
        return "unknown";
    }
}
