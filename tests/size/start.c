// SPDX-License-Identifier: MIT
// Start: the least that runs a program on an emulated Cortex-M33 (QEMU's mps2-an505): vectors, the
// clock, and text out by semihosting. Everything lies in one RAM that the emulator loads.
//
// With QEMU's -icount shift=0 an instruction takes 1 ns of virtual time. SysTick counts down at the
// board's 20 MHz (read from public code: QEMU hw/arm/mps2-tz.c), which is 50 instructions a tick.
#include "cost.h"

#include <stdint.h>
#include <string.h>

#define INSTRUCTIONS_A_TICK 50u

// Specified (ARMv8-M Architecture Reference Manual, D1.2 SysTick).
#define SYSTICK_CONTROL (*(volatile uint32_t *)0xE000E010u)
#define SYSTICK_RELOAD  (*(volatile uint32_t *)0xE000E014u)
#define SYSTICK_VALUE   (*(volatile uint32_t *)0xE000E018u)
#define SYSTICK_MAX     0xFFFFFFu

// Specified (Arm semihosting for AArch32 and AArch64, 6: SYS_WRITE0, SYS_EXIT_EXTENDED).
#define SEMIHOSTING_WRITE 0x04u
#define SEMIHOSTING_EXIT  0x20u
#define EXIT_APPLICATION  0x20026u

extern uint32_t start_stack_top;
extern uint8_t start_bss;
extern uint8_t start_bss_end;

int main(void);
void start_reset(void);
void start_fault(void);

static void semihosting(uint32_t call, const void *argument) {
    register uint32_t r0 __asm__("r0") = call;
    register const void *r1 __asm__("r1") = argument;

    __asm__ volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
}

_Noreturn void cost_exit(int code) {
    uint32_t block[2] = {EXIT_APPLICATION, (uint32_t)code};

    for (;;) {
        semihosting(SEMIHOSTING_EXIT, block);
    }
}

void cost_text(const char *text) {
    semihosting(SEMIHOSTING_WRITE, text);
}

void start_fault(void) {
    cost_text("fault\n");
    cost_exit(1);
}

void start_reset(void) {
    memset(&start_bss, 0, (size_t)(&start_bss_end - &start_bss));
    SYSTICK_RELOAD = SYSTICK_MAX;
    SYSTICK_VALUE = 0;
    SYSTICK_CONTROL = 5;  // on, from the processor's clock, no interrupt
    cost_exit(main());
}

void cost_call(enum cost_step step, void (*run)(void)) {
    (void)step;
    run();
}

uint32_t cost_clock(void) {
    return SYSTICK_VALUE;
}

uint32_t cost_since(uint32_t clock) {
    return ((clock - SYSTICK_VALUE) & SYSTICK_MAX) * INSTRUCTIONS_A_TICK;
}

// Initial stack, reset, and every fault up to the usage fault.
__attribute__((section(".vectors"), used)) static const void *const vectors[] = {
    &start_stack_top,
    (const void *)start_reset,
    (const void *)start_fault,
    (const void *)start_fault,
    (const void *)start_fault,
    (const void *)start_fault,
    (const void *)start_fault,
    (const void *)start_fault,
};
