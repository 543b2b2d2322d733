// SPDX-License-Identifier: MIT
// The parts of app_tx.h that its two transports share; not for anybody else.
#ifndef APP_TX_PART_H
#define APP_TX_PART_H

#include "coradio/app_tx.h"

uint64_t cor_app_tx_poll_tcp(struct cor_app_tx *app, uint64_t now_us);
uint64_t cor_app_tx_poll_udp(struct cor_app_tx *app, uint64_t now_us);
void cor_app_tx_fail(struct cor_app_tx *app, enum cor_status status);

#endif
