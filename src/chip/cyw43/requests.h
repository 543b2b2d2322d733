// SPDX-License-Identifier: MIT
// Requests to the firmware: command numbers, status codes, and rows of a script for them.
//
// Numbers read from public code: embassy-rs/embassy cyw43/src/ioctl.rs and consts.rs, Infineon
// wifi-host-driver whd_wlioctl.h, Linux brcmfmac fwil.h.
#ifndef CYW43_REQUESTS_H
#define CYW43_REQUESTS_H

#define WLC_UP           2u
#define WLC_GET_RATE     12u
#define WLC_SET_INFRA    20u
#define WLC_SET_AUTH     22u
#define WLC_GET_BSSID    23u
#define WLC_SET_SSID     26u
#define WLC_GET_CHANNEL  29u
#define WLC_DISASSOC     52u
#define WLC_SET_ANTDIV   64u
#define WLC_GET_PM       85u
#define WLC_SET_PM       86u
#define WLC_SET_MONITOR  108u
#define WLC_SET_GMODE    110u
#define WLC_GET_RSSI     127u
#define WLC_SET_WSEC     134u
#define WLC_GET_PKTCNTS  137u
#define WLC_SET_BAND     142u
#define WLC_SET_WPA_AUTH 165u
#define WLC_GET_VAR      262u
#define WLC_SET_VAR      263u
#define WLC_SET_WSEC_PMK 268u

// clang-format off
#define PAUSE(us)       {.kind = CYW43_STEP_PAUSE, .bound_us = (us)}
#define CALL(function, us, f) \
    {.kind = CYW43_STEP_CALL, .call = (function), .bound_us = (us), .failure = (f)}
// Must succeed.
#define COMMAND(number, n, v) \
    {.kind = CYW43_STEP_CONTROL, .set = true, .command = (number), .bytes = (n), .value = (v), \
     .failure = COR_E_CHIP}
#define COMMAND_FILL(number, function) \
    {.kind = CYW43_STEP_CONTROL, .set = true, .command = (number), .fill = (function), \
     .failure = COR_E_CHIP}
#define SET(variable, n, v) \
    {.kind = CYW43_STEP_CONTROL, .set = true, .command = WLC_SET_VAR, .name = (variable), \
     .bytes = (n), .value = (v), .failure = COR_E_CHIP}
#define SET_FILL(variable, function) \
    {.kind = CYW43_STEP_CONTROL, .set = true, .command = WLC_SET_VAR, .name = (variable), \
     .fill = (function), .failure = COR_E_CHIP}
// May be refused; what is effective then is what reads back.
#define TRY_SET(variable, n, v) \
    {.kind = CYW43_STEP_CONTROL, .set = true, .command = WLC_SET_VAR, .name = (variable), \
     .bytes = (n), .value = (v)}
#define TRY_SET_FILL(variable, function) \
    {.kind = CYW43_STEP_CONTROL, .set = true, .command = WLC_SET_VAR, .name = (variable), \
     .fill = (function)}
#define TRY_GET(variable, n, function) \
    {.kind = CYW43_STEP_CONTROL, .command = WLC_GET_VAR, .name = (variable), .bytes = (n), \
     .take = (function)}
#define TRY_GET_NUMBER(number, n, function) \
    {.kind = CYW43_STEP_CONTROL, .command = (number), .bytes = (n), .take = (function)}
#define GET(variable, n, function) \
    {.kind = CYW43_STEP_CONTROL, .command = WLC_GET_VAR, .name = (variable), .bytes = (n), \
     .take = (function), .failure = COR_E_CHIP}
#define BRANCH(function, count) {.kind = CYW43_STEP_BRANCH, .call = (function), .skip = (count)}
#define TRY_COMMAND(number, n, v) \
    {.kind = CYW43_STEP_CONTROL, .set = true, .command = (number), .bytes = (n), .value = (v)}
#define GET_NUMBER(number, n, function) \
    {.kind = CYW43_STEP_CONTROL, .command = (number), .bytes = (n), .take = (function), \
     .failure = COR_E_CHIP}
#define END             {.kind = CYW43_STEP_END}
// clang-format on

#endif
