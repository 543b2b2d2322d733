// SPDX-License-Identifier: MIT
// Cost: what one step of a stack takes, counted in instructions. Two programs use it, one with our
// stack (cost_coradio.c) and one with lwIP (cost_lwip.c); both run the same steps on the same peer.
#ifndef CORADIO_SIZE_COST_H
#define CORADIO_SIZE_COST_H

#include <stdint.h>

// The frame of the peer's that a step gives to the stack, and the stack's own time.
#define COST_SEGMENT_BYTES 1460u
#define COST_ROUNDS        1000u

enum cost_step {
    COST_NOTHING,  // a call that does nothing: taken off all others
    COST_COMMIT,   // 1460 bytes that lie in the ring: sum and descriptor
    COST_WRITE,    // 1460 bytes copied into the ring
    COST_SEND,     // one full segment, from the ring to the frame descriptor or driver buffer
    COST_SENT,     // the driver says that the frame has left
    COST_ACK_ONE,  // an acknowledgement of one segment
    COST_ACK_TWO,  // an acknowledgement of two segments
    COST_POLL,     // a poll with nothing to do
    COST_RECEIVE,  // a full segment received and given to the application
    COST_STEPS,
};

// ---- the machine: start.c under emulation, host.c under callgrind

// Runs a step; on the host by a function of the step's name, which callgrind counts.
void cost_call(enum cost_step step, void (*run)(void));
uint32_t cost_clock(void);
// Instructions since then, in steps of the clock.
uint32_t cost_since(uint32_t clock);
void cost_text(const char *text);
_Noreturn void cost_exit(int code);

// ---- cost.c

// Runs a step of the stack and adds its instructions to the step's account.
void cost_run(enum cost_step step, void (*run)(void));
// One line a step that was run: name and instructions, 1/10 rounded.
void cost_report(void);
#define COST_CHECK(condition) ((condition) ? (void)0 : cost_failed(__FILE__, __LINE__, #condition))
_Noreturn void cost_failed(const char *file, int line, const char *what);

// ---- peer.c: frames of a peer, and what there is to know of ours

#define COST_OUR_ADDRESS  0x0A000002u
#define COST_PEER_ADDRESS 0x0A000001u
#define COST_PEER_PORT    5001u
#define COST_PEER_FIRST   0x10000000u  // the sequence number of its SYN

struct cost_peer {
    uint16_t port;        // ours
    uint32_t seq;         // the next the peer sends
    uint32_t ack;         // the next it expects
    uint32_t bytes;       // of payload it has got
    uint32_t held_bytes;  // the last of it that it does not acknowledge yet
};

extern const uint8_t cost_our_mac[6];
extern const uint8_t cost_peer_mac[6];
extern struct cost_peer cost_peer;

// The peer's frame, at an address that is 2 modulo 4, and its size.
extern uint8_t *const cost_frame;
extern uint32_t cost_frame_bytes;

// Builds the reply to an ARP request, the SYN,ACK, an acknowledgement of all the peer has got, or a
// full segment of payload.
void cost_peer_arp(void);
void cost_peer_syn(void);
void cost_peer_ack(void);
void cost_peer_data(void);
// Takes what our stack has sent: the headers, Ethernet first, and the size of all of it.
void cost_peer_take(const uint8_t *head, uint32_t size_bytes);

#endif
