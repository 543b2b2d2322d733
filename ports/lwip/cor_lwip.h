// SPDX-License-Identifier: MIT
// cor_lwip: lwIP on coradio's driver, without an OS: a netif that the driver pulls frames from.
//
// lwIP pushes, the radio pulls, and between them nothing is dropped. A frame that lwIP gives out is
// kept as a reference to its pbuf, uncopied, until the driver has credit for it and has sent it;
// when COR_LWIP_KEPT_MAX are kept the next one is refused with ERR_MEM. TCP then leaves the segment
// in its own queue, where it can still change, and cor_lwip_poll() has it try again as soon as one
// has left. UDP tells its application the same. A few short frames more are taken, so that an
// acknowledgement or an answer to ARP is not refused behind data.
//
// For lwIP 2.1 and later with NO_SYS. Its port (lwipopts.h, sys_now(), cc.h) is the user's. Needs
// LWIP_NETIF_TX_SINGLE_PBUF 1, as on other drivers of this chip; without it a frame in more than
// three parts is copied once. One context calls everything.
#ifndef COR_LWIP_H
#define COR_LWIP_H

#include <lwip/netif.h>
#include <lwip/pbuf.h>
#include <stdbool.h>
#include <stdint.h>

#include "coradio/frame.h"

#ifdef __cplusplus
extern "C" {
#endif

// Frames kept for the driver: what its queue holds and a few ready behind it.
#define COR_LWIP_KEPT_MAX 8u
// Short ones that are taken beyond.
#define COR_LWIP_KEPT_MORE       4u
#define COR_LWIP_SHORT_BYTES     128u
#define COR_LWIP_FRAMES          (COR_LWIP_KEPT_MAX + COR_LWIP_KEPT_MORE)
#define COR_LWIP_COPY_ROOM_WORDS ((COR_FRAME_BYTES_MAX + 2u + 3u) / 4u)

// name, unit, what it counts
// clang-format off
#define COR_LWIP_COUNTERS(X)                                                                 \
    X(frames_sent,     "1", "frames that have left for the chip")                            \
    X(payload_sent,    "1", "of them with payload of TCP or UDP")                            \
    X(frames_received, "1", "frames received")                                               \
    X(refused,         "1", "frames refused for lack of room: lwIP keeps them, or says so")  \
    X(refused_short,   "1", "of them short ones: lwIP itself does not repeat all of these")  \
    X(kept_max,        "1", "most frames kept at once")                                      \
    X(copied,          "1", "frames copied: in too many parts, or not aligned")              \
    X(drop_size,       "1", "frames dropped: longer than the bus takes")                     \
    X(drop_link_down,  "1", "frames dropped: the link went down while they were kept")       \
    X(drop_no_pbuf,    "1", "received frames dropped: the pool of pbufs was empty")          \
    X(drop_input,      "1", "received frames that lwIP did not take")
// clang-format on

struct cor_lwip_counters {
#define X(name, unit, text) uint64_t name;
    COR_LWIP_COUNTERS(X)
#undef X
};

struct cor_lwip {
    struct cor_frame_source frames;  // hand this one to the driver: cor_lwip_frames()
    struct netif netif;              // lwIP's; the user sets addresses and callbacks on it
    struct pbuf *kept[COR_LWIP_FRAMES];
    uint8_t first;     // the oldest
    uint8_t count;     // kept, those given to the driver included
    uint8_t given;     // of them with the driver, the oldest ones
    bool waiting;      // a frame was refused since one has left
    bool copy_in_use;  // the newest frame given to the driver lies in the room for copies
    enum cor_meter_state blocked;
    struct cor_lwip_counters counters;
    uint32_t copy_room[COR_LWIP_COPY_ROOM_WORDS];
};

// Fills the caller's memory and adds the netif to lwIP, as its default; lwip_init() comes before.
// The netif is up, its link is down until the driver says otherwise.
void cor_lwip_init(
    struct cor_lwip *lwip,
    const ip4_addr_t *address,
    const ip4_addr_t *netmask,
    const ip4_addr_t *gateway);

// What the driver pulls from and gives received frames to.
struct cor_frame_source *cor_lwip_frames(struct cor_lwip *lwip);

// The radio's address, before the link comes up.
void cor_lwip_set_mac(struct cor_lwip *lwip, const uint8_t mac[6]);

// Runs lwIP's timers and has TCP try again what was refused. To be called after the driver's poll.
// Returns in how many milliseconds lwIP wants it again, UINT32_MAX for never.
uint32_t cor_lwip_poll(struct cor_lwip *lwip);

// Why the radio would get no frame now, as far as lwIP does not say: for the chronograph, the user
// may set it between polls. COR_METER_STATE_source unless set.
void cor_lwip_set_blocked(struct cor_lwip *lwip, enum cor_meter_state blocked);

const struct cor_lwip_counters *cor_lwip_get_counters(const struct cor_lwip *lwip);

#ifdef __cplusplus
}
#endif

#endif
