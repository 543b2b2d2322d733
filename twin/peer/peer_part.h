// SPDX-License-Identifier: MIT
// Peer part: what the files of the peer inside the twin share.
#ifndef TWIN_PEER_PART_H
#define TWIN_PEER_PART_H

#include "coradio_twin/peer.h"

// lwIP was called from outside a frame or timer: its next timer may be an earlier one.
void twin_peer_rearm(struct twin_peer *peer);
struct twin_sim *twin_peer_sim(const struct twin_peer *peer);

#endif
