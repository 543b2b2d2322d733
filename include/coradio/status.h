// SPDX-License-Identifier: MIT
// Status: the one list of results that every function of the core draws from.
//
// COR_OK is 0, all others are negative, so that a function that returns an amount can return
// int32_t: zero or more is the amount, negative is a status. COR_AGAIN is no error: nothing can
// be done now, and whoever returns it also has a deadline or an event that ends it.
#ifndef CORADIO_STATUS_H
#define CORADIO_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

// name, value, text
// clang-format off
#define COR_STATUSES(X)                                                                    \
    X(COR_OK,              0,   "done")                                                    \
    X(COR_AGAIN,           -1,  "nothing can be done now")                                 \
    X(COR_E_ARG,           -2,  "argument out of its range")                               \
    X(COR_E_STATE,         -3,  "not possible in the present state")                       \
    X(COR_E_BUS,           -4,  "the bus did not work: wrong or no answer from the wires") \
    X(COR_E_ABSENT,        -5,  "no chip answers on the bus")                              \
    X(COR_E_FIRMWARE,      -6,  "firmware is missing, damaged or did not start")           \
    X(COR_E_TIMEOUT,       -7,  "no answer within its bound")                              \
    X(COR_E_PROTO,         -8,  "the other side broke its protocol")                       \
    X(COR_E_NOMEM,         -9,  "no buffer or slot is free")                               \
    X(COR_E_CHIP,          -10, "the chip refused the command")                            \
    X(COR_E_NO_NETWORK,    -11, "no network of that name was heard")                       \
    X(COR_E_WRONG_KEY,     -12, "the access point did not accept the key")                 \
    X(COR_E_REFUSED,       -13, "the other side refused")                                  \
    X(COR_E_FULL,          -14, "the access point takes no more stations")                 \
    X(COR_E_UNSUPPORTED,   -15, "not supported by the other side or by this build")        \
    X(COR_E_LINK_DOWN,     -16, "the radio link is down")                                  \
    X(COR_E_UNREACHABLE,   -17, "no answer to ARP: the host or gateway is not there")      \
    X(COR_E_RESET,         -18, "the peer reset the connection")                           \
    X(COR_E_CLOSED,        -19, "the connection is closed")                                \
    X(COR_E_ABORTED,       -20, "aborted by this side")                                    \
    X(COR_E_SOURCE,        -21, "the source of the data failed or ended early")            \
    X(COR_E_NO_NAME,       -22, "no host of that name, or it has no address")              \
    X(COR_E_SIZE,          -23, "larger than what goes into one packet")
// clang-format on

enum cor_status {
#define X(name, value, text) name = value,
    COR_STATUSES(X)
#undef X
};

// Marks a result that the caller has to look at.
#if defined(__GNUC__)
#    define COR_MUST_CHECK __attribute__((warn_unused_result))
#else
#    define COR_MUST_CHECK
#endif

// The name ("COR_E_BUS") and the text of a status; "unknown" for a number not in the list.
const char *cor_status_name(enum cor_status status);
const char *cor_status_text(enum cor_status status);

#ifdef __cplusplus
}
#endif

#endif
