// SPDX-License-Identifier: MIT
#include "cor_lwip.h"

#include <lwip/etharp.h>
#include <lwip/priv/tcp_priv.h>
#include <lwip/timeouts.h>
#include <netif/ethernet.h>
#include <stddef.h>
#include <string.h>

#include "coradio/bytes.h"

#define ETHERNET_BYTES 14u
#define UDP_BYTES      8u
#define TYPE_IPV4      0x0800u  // specified: RFC 894
#define PROTOCOL_TCP   6u       // specified: RFC 9293 3.1, the two below likewise
#define PROTOCOL_UDP   17u      // specified: RFC 768
// What of a longer frame goes into the driver's block at least: its headers.
#define HEAD_BYTES_MIN (ETHERNET_BYTES + 20u + 20u)

// Bytes of the application in an Ethernet frame of which the first size_bytes are at hand.
static uint32_t payload_of(const uint8_t *frame, uint32_t size_bytes) {
    const uint8_t *ip = frame + ETHERNET_BYTES;

    if (size_bytes < ETHERNET_BYTES + 20u + UDP_BYTES || cor_get_be16(frame + 12) != TYPE_IPV4) {
        return 0;
    }
    uint32_t ip_head = (ip[0] & 0x0Fu) * 4u;
    uint32_t total = cor_get_be16(ip + 2);
    uint32_t above = ip_head + UDP_BYTES;
    if (ip[9] == PROTOCOL_TCP && ETHERNET_BYTES + ip_head + 13u <= size_bytes) {
        above = ip_head + (ip[ip_head + 12] >> 4) * 4u;
    } else if (ip[9] != PROTOCOL_UDP) {
        return 0;
    }
    return total > above ? total - above : 0;
}

// --- From lwIP: kept, or refused ---

static err_t link_output(struct netif *netif, struct pbuf *frame) {
    struct cor_lwip *lwip = netif->state;
    bool is_short = frame->tot_len <= COR_LWIP_SHORT_BYTES;

    if (frame->tot_len > COR_FRAME_BYTES_MAX) {
        lwip->counters.drop_size++;
        return ERR_BUF;
    }
    if (lwip->count >= (is_short ? COR_LWIP_FRAMES : COR_LWIP_KEPT_MAX)) {
        lwip->counters.refused++;
        lwip->counters.refused_short += is_short;
        lwip->waiting = true;
        return ERR_MEM;
    }
    // A segment with a second reference is left alone by TCP until it is given back.
    pbuf_ref(frame);
    lwip->kept[(lwip->first + lwip->count) % COR_LWIP_FRAMES] = frame;
    lwip->count++;
    if (lwip->count > lwip->counters.kept_max) {
        lwip->counters.kept_max = lwip->count;
    }
    return ERR_OK;
}

// --- To the driver ---

static struct cor_lwip *lwip_of(struct cor_frame_source *source) {
    _Static_assert(offsetof(struct cor_lwip, frames) == 0, "the seam is cast to the port");
    return (struct cor_lwip *)source;
}

// How many bytes go into the driver's block so that the rest begins at a multiple of 4.
static uint32_t head_of(const struct pbuf *frame) {
    uint32_t size_bytes = HEAD_BYTES_MIN;

    if (frame->tot_len <= COR_FRAME_HEAD_BYTES_MAX) {
        return frame->tot_len;
    }
    while (((uintptr_t)frame->payload + size_bytes) % 4u != 0) {
        size_bytes++;
    }
    return size_bytes;
}

// The rest of the frame as pieces where it lies. False: the bus could not take it like this.
static bool point_at(const struct pbuf *frame, uint32_t head_bytes, struct cor_frame_tx *tx) {
    tx->piece_count = 0;
    for (const struct pbuf *part = frame; part != NULL; part = part->next) {
        const uint8_t *data = part->payload;
        uint32_t size_bytes = part->len;

        if (part == frame) {
            if (part->len < head_bytes) {
                return false;
            }
            data += head_bytes;
            size_bytes -= head_bytes;
        }
        if (size_bytes == 0) {
            continue;
        }
        if (tx->piece_count == COR_FRAME_PIECES_MAX || (uintptr_t)data % 4u != 0 ||
            (part->next != NULL && size_bytes % 4u != 0)) {
            return false;
        }
        tx->pieces[tx->piece_count].data = data;
        tx->pieces[tx->piece_count].size_bytes = size_bytes;
        tx->piece_count++;
    }
    return true;
}

// Copies the rest of the frame into the one room there is for that. False: it is in use.
static bool copy_rest(struct cor_lwip *lwip, const struct pbuf *frame, struct cor_frame_tx *tx) {
    uint16_t rest = (uint16_t)(frame->tot_len - tx->head_bytes);

    if (lwip->copy_in_use) {
        return false;
    }
    (void)pbuf_copy_partial(frame, lwip->copy_room, rest, tx->head_bytes);
    tx->pieces[0].data = (const uint8_t *)lwip->copy_room;
    tx->pieces[0].size_bytes = rest;
    tx->piece_count = 1;
    lwip->copy_in_use = true;
    lwip->counters.copied++;
    return true;
}

static enum cor_status pull(
    struct cor_frame_source *source, uint64_t now_us, struct cor_frame_tx *tx) {
    struct cor_lwip *lwip = lwip_of(source);

    (void)now_us;
    // While a copy is with the driver nothing comes behind it, so that it is known whose it is.
    if (lwip->given == lwip->count || lwip->copy_in_use) {
        tx->blocked = lwip->copy_in_use ? COR_METER_STATE_no_buffer : lwip->blocked;
        return COR_AGAIN;
    }
    struct pbuf *frame = lwip->kept[(lwip->first + lwip->given) % COR_LWIP_FRAMES];
    tx->head_bytes = (uint16_t)head_of(frame);
    if (!point_at(frame, tx->head_bytes, tx) && !copy_rest(lwip, frame, tx)) {
        tx->blocked = COR_METER_STATE_no_buffer;
        return COR_AGAIN;
    }
    (void)pbuf_copy_partial(frame, tx->head, tx->head_bytes, 0);
    tx->payload_bytes = (uint16_t)payload_of(tx->head, tx->head_bytes);
    tx->token = tx->payload_bytes;
    lwip->given++;
    return COR_OK;
}

// Frames leave in the order they were given.
static void sent(struct cor_frame_source *source, uint64_t now_us, uint32_t token) {
    struct cor_lwip *lwip = lwip_of(source);
    struct pbuf *frame = lwip->kept[lwip->first];

    (void)now_us;
    lwip->kept[lwip->first] = NULL;
    lwip->first = (uint8_t)((lwip->first + 1u) % COR_LWIP_FRAMES);
    lwip->count--;
    lwip->given--;
    lwip->copy_in_use = lwip->copy_in_use && lwip->given != 0;
    lwip->counters.frames_sent++;
    lwip->counters.payload_sent += token != 0;
    pbuf_free(frame);
}

static uint32_t input(
    struct cor_frame_source *source, uint64_t now_us, uint8_t *frame, uint32_t size_bytes) {
    struct cor_lwip *lwip = lwip_of(source);
    struct pbuf *copy;

    (void)now_us;
    lwip->counters.frames_received++;
    // Two bytes in front, so that the IP header is 4-aligned.
    copy = pbuf_alloc(PBUF_RAW, (uint16_t)(size_bytes + 2u), PBUF_POOL);
    if (copy == NULL) {
        lwip->counters.drop_no_pbuf++;
        return 0;
    }
    (void)pbuf_remove_header(copy, 2);
    (void)pbuf_take(copy, frame, (uint16_t)size_bytes);
    if (lwip->netif.input(copy, &lwip->netif) != ERR_OK) {
        lwip->counters.drop_input++;
        pbuf_free(copy);
        return 0;
    }
    return payload_of(frame, size_bytes);
}

// What the driver has comes back by sent(); the rest is from the time before.
static void drop_kept(struct cor_lwip *lwip) {
    while (lwip->count > lwip->given) {
        uint32_t last = (lwip->first + lwip->count - 1u) % COR_LWIP_FRAMES;

        pbuf_free(lwip->kept[last]);
        lwip->kept[last] = NULL;
        lwip->count--;
        lwip->counters.drop_link_down++;
    }
}

static void link_changed(struct cor_frame_source *source, uint64_t now_us, bool up) {
    struct cor_lwip *lwip = lwip_of(source);

    (void)now_us;
    if (up) {
        netif_set_link_up(&lwip->netif);
    } else {
        drop_kept(lwip);
        netif_set_link_down(&lwip->netif);
    }
}

// --- The netif ---

static err_t netif_begin(struct netif *netif) {
    netif->name[0] = 'c';
    netif->name[1] = 'w';
    netif->mtu = 1500;
    netif->hwaddr_len = 6;
    netif->flags = NETIF_FLAG_BROADCAST | NETIF_FLAG_ETHARP | NETIF_FLAG_ETHERNET;
    netif->output = etharp_output;
    netif->linkoutput = link_output;
    return ERR_OK;
}

void cor_lwip_init(
    struct cor_lwip *lwip,
    const ip4_addr_t *address,
    const ip4_addr_t *netmask,
    const ip4_addr_t *gateway) {
    static const struct cor_frame_source_ops ops = {
        .pull = pull,
        .sent = sent,
        .input = input,
        .link = link_changed,
    };

    memset(lwip, 0, sizeof(*lwip));
    lwip->frames.ops = &ops;
    lwip->blocked = COR_METER_STATE_source;
    (void)netif_add(&lwip->netif, address, netmask, gateway, lwip, netif_begin, ethernet_input);
    netif_set_default(&lwip->netif);
    netif_set_up(&lwip->netif);
}

struct cor_frame_source *cor_lwip_frames(struct cor_lwip *lwip) {
    return &lwip->frames;
}

void cor_lwip_set_mac(struct cor_lwip *lwip, const uint8_t mac[6]) {
    memcpy(lwip->netif.hwaddr, mac, 6);
}

uint32_t cor_lwip_poll(struct cor_lwip *lwip) {
    sys_check_timeouts();
    if (lwip->waiting && lwip->count < COR_LWIP_KEPT_MAX) {
        lwip->waiting = false;
        tcp_txnow();  // each connection with something to send that was refused
    }
    return sys_timeouts_sleeptime();
}

void cor_lwip_set_blocked(struct cor_lwip *lwip, enum cor_meter_state blocked) {
    lwip->blocked = blocked;
}

const struct cor_lwip_counters *cor_lwip_get_counters(const struct cor_lwip *lwip) {
    return &lwip->counters;
}
