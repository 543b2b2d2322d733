// SPDX-License-Identifier: MIT
#include "coradio/radio.h"

static const char *const cause_names[] = {
#define X(name, text) #name,
    COR_LINK_CAUSES(X)
#undef X
};

static const char *const security_names[] = {
#define X(name, text) #name,
    COR_SECURITIES(X)
#undef X
};

const char *cor_link_cause_name(enum cor_link_cause cause) {
    return cause < COR_LINK_CAUSE_COUNT ? cause_names[cause] : "unknown";
}

const char *cor_security_name(enum cor_security security) {
    return security < COR_SECURITY_COUNT ? security_names[security] : "unknown";
}
