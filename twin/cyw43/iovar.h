// SPDX-License-Identifier: MIT
// Iovar: the slots where values of named variables and of numbered requests are kept.
#ifndef TWIN_CYW43_IOVAR_H
#define TWIN_CYW43_IOVAR_H

#include <stdbool.h>
#include <stdint.h>

enum iovar_slot {
    IOVAR_TXGLOM,
    IOVAR_RXGLOM,
    IOVAR_APSTA,
    IOVAR_AMPDU_BA_WSIZE,
    IOVAR_AMPDU_MPDU,
    IOVAR_AMPDU_RX_FACTOR,
    IOVAR_PM2_SLEEP_RET,
    IOVAR_BCN_LI_BCN,
    IOVAR_BCN_LI_DTIM,
    IOVAR_ASSOC_LISTEN,
    IOVAR_ALLMULTI,
    IOVAR_SUP_WPA,
    IOVAR_SUP_WPA2_EAPVER,
    IOVAR_SUP_WPA_TMO,
    IOVAR_MFP,
    IOVAR_WSEC,
    IOVAR_WPA_AUTH,
    IOVAR_2G_MRATE,
    IOVAR_SAE_MAX_PWE_LOOP,
    IOVAR_BSS,
    IOVAR_MAXASSOC,
    IOVAR_CCGPIOIN,
    IOVAR_SLOTS,
};

enum ioctl_slot {
    IOCTL_INFRA,
    IOCTL_AUTH,
    IOCTL_CHANNEL,
    IOCTL_ANTDIV,
    IOCTL_BEACON_PERIOD,
    IOCTL_DTIM_PERIOD,
    IOCTL_PM,
    IOCTL_MONITOR,
    IOCTL_GMODE,
    IOCTL_AP,
    IOCTL_BAND,
    IOCTL_SCAN_CHANNEL_TIME,
    IOCTL_SLOTS,
};

#endif
