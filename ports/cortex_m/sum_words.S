// SPDX-License-Identifier: MIT
// The two inner loops of the Internet checksum for Arm Cortex-M, in place of src/wire/sum_words.c.
//
// An add-with-carry chain: C has no way to say it, and GCC 12 makes 28 instructions of 32 bytes where
// these loops take 10 (Thumb-2: Cortex-M3 and later) or 11 (Thumb-1: Cortex-M0, M0+).
	.syntax	unified
	.thumb
	.text

#if __ARM_ARCH_ISA_THUMB >= 2

// The carry lives from the first word to the last: sub and teq with small numbers leave it alone.

// uintptr_t cor_sum_words(const uint8_t *at, uint32_t count, uintptr_t sum)
// r0 at, r1 count and then single words, r2 sum, r12 blocks of 32 words, lr of 4
	.section .text.cor_sum_words, "ax", %progbits
	.global	cor_sum_words
	.type	cor_sum_words, %function
	.thumb_func
cor_sum_words:
	push	{r4-r11, lr}
	lsr	r12, r1, #5
	and	r1, r1, #31
	lsr	lr, r1, #2
	and	r1, r1, #3
	adds	r2, r2, #0
	teq	r12, #0
	beq	2f
1:
	ldmia	r0!, {r3-r10}
	adcs	r2, r3
	adcs	r2, r4
	adcs	r2, r5
	adcs	r2, r6
	adcs	r2, r7
	adcs	r2, r8
	adcs	r2, r9
	adcs	r2, r10
	ldmia	r0!, {r3-r10}
	adcs	r2, r3
	adcs	r2, r4
	adcs	r2, r5
	adcs	r2, r6
	adcs	r2, r7
	adcs	r2, r8
	adcs	r2, r9
	adcs	r2, r10
	ldmia	r0!, {r3-r10}
	adcs	r2, r3
	adcs	r2, r4
	adcs	r2, r5
	adcs	r2, r6
	adcs	r2, r7
	adcs	r2, r8
	adcs	r2, r9
	adcs	r2, r10
	ldmia	r0!, {r3-r10}
	adcs	r2, r3
	adcs	r2, r4
	adcs	r2, r5
	adcs	r2, r6
	adcs	r2, r7
	adcs	r2, r8
	adcs	r2, r9
	adcs	r2, r10
	sub	r12, r12, #1
	teq	r12, #0
	bne	1b
2:
	teq	lr, #0
	beq	4f
3:
	ldmia	r0!, {r3-r6}
	adcs	r2, r3
	adcs	r2, r4
	adcs	r2, r5
	adcs	r2, r6
	sub	lr, lr, #1
	teq	lr, #0
	bne	3b
4:
	teq	r1, #0
	beq	6f
5:
	ldr	r3, [r0], #4
	adcs	r2, r3
	sub	r1, r1, #1
	teq	r1, #0
	bne	5b
6:
	adcs	r2, r2, #0
	adc	r0, r2, #0
	pop	{r4-r11, pc}
	.size	cor_sum_words, . - cor_sum_words

// uintptr_t cor_sum_copy_words(uint8_t *target, const uint8_t *source, uint32_t count)
// r0 target, r1 source, r2 count and then single words, r3 sum, r12 and lr as above
	.section .text.cor_sum_copy_words, "ax", %progbits
	.global	cor_sum_copy_words
	.type	cor_sum_copy_words, %function
	.thumb_func
cor_sum_copy_words:
	push	{r4-r11, lr}
	movs	r3, #0
	lsr	r12, r2, #5
	and	r2, r2, #31
	lsr	lr, r2, #2
	and	r2, r2, #3
	adds	r3, r3, #0
	teq	r12, #0
	beq	2f
1:
	ldmia	r1!, {r4-r11}
	stmia	r0!, {r4-r11}
	adcs	r3, r4
	adcs	r3, r5
	adcs	r3, r6
	adcs	r3, r7
	adcs	r3, r8
	adcs	r3, r9
	adcs	r3, r10
	adcs	r3, r11
	ldmia	r1!, {r4-r11}
	stmia	r0!, {r4-r11}
	adcs	r3, r4
	adcs	r3, r5
	adcs	r3, r6
	adcs	r3, r7
	adcs	r3, r8
	adcs	r3, r9
	adcs	r3, r10
	adcs	r3, r11
	ldmia	r1!, {r4-r11}
	stmia	r0!, {r4-r11}
	adcs	r3, r4
	adcs	r3, r5
	adcs	r3, r6
	adcs	r3, r7
	adcs	r3, r8
	adcs	r3, r9
	adcs	r3, r10
	adcs	r3, r11
	ldmia	r1!, {r4-r11}
	stmia	r0!, {r4-r11}
	adcs	r3, r4
	adcs	r3, r5
	adcs	r3, r6
	adcs	r3, r7
	adcs	r3, r8
	adcs	r3, r9
	adcs	r3, r10
	adcs	r3, r11
	sub	r12, r12, #1
	teq	r12, #0
	bne	1b
2:
	teq	lr, #0
	beq	4f
3:
	ldmia	r1!, {r4-r7}
	stmia	r0!, {r4-r7}
	adcs	r3, r4
	adcs	r3, r5
	adcs	r3, r6
	adcs	r3, r7
	sub	lr, lr, #1
	teq	lr, #0
	bne	3b
4:
	teq	r2, #0
	beq	6f
5:
	ldr	r4, [r1], #4
	str	r4, [r0], #4
	adcs	r3, r4
	sub	r2, r2, #1
	teq	r2, #0
	bne	5b
6:
	adcs	r3, r3, #0
	adc	r0, r3, #0
	pop	{r4-r11, pc}
	.size	cor_sum_copy_words, . - cor_sum_copy_words

#else

// Loads leave the carry alone, counting down does not: a turn's last carry is counted.

// uintptr_t cor_sum_words(const uint8_t *at, uint32_t count, uintptr_t sum)
// r0 at, r1 count, r2 sum, r3-r6 words, r7 carries
	.section .text.cor_sum_words, "ax", %progbits
	.global	cor_sum_words
	.type	cor_sum_words, %function
	.thumb_func
cor_sum_words:
	push	{r4-r7}
	movs	r7, #0
	subs	r1, #32
	blo	2f
1:
	ldmia	r0!, {r3-r6}
	adds	r2, r3
	adcs	r2, r4
	adcs	r2, r5
	adcs	r2, r6
	ldmia	r0!, {r3-r6}
	adcs	r2, r3
	adcs	r2, r4
	adcs	r2, r5
	adcs	r2, r6
	ldmia	r0!, {r3-r6}
	adcs	r2, r3
	adcs	r2, r4
	adcs	r2, r5
	adcs	r2, r6
	ldmia	r0!, {r3-r6}
	adcs	r2, r3
	adcs	r2, r4
	adcs	r2, r5
	adcs	r2, r6
	ldmia	r0!, {r3-r6}
	adcs	r2, r3
	adcs	r2, r4
	adcs	r2, r5
	adcs	r2, r6
	ldmia	r0!, {r3-r6}
	adcs	r2, r3
	adcs	r2, r4
	adcs	r2, r5
	adcs	r2, r6
	ldmia	r0!, {r3-r6}
	adcs	r2, r3
	adcs	r2, r4
	adcs	r2, r5
	adcs	r2, r6
	ldmia	r0!, {r3-r6}
	adcs	r2, r3
	adcs	r2, r4
	adcs	r2, r5
	adcs	r2, r6
	movs	r3, #0
	adcs	r7, r3
	subs	r1, #32
	bhs	1b
2:
	adds	r1, #28
	bmi	4f
3:
	ldmia	r0!, {r3-r6}
	adds	r2, r3
	adcs	r2, r4
	adcs	r2, r5
	adcs	r2, r6
	movs	r3, #0
	adcs	r7, r3
	subs	r1, #4
	bpl	3b
4:
	adds	r1, #4
	beq	6f
5:
	ldmia	r0!, {r3}
	adds	r2, r3
	movs	r3, #0
	adcs	r7, r3
	subs	r1, #1
	bne	5b
6:
	movs	r3, #0
	adds	r0, r2, r7
	adcs	r0, r3
	pop	{r4-r7}
	bx	lr
	.size	cor_sum_words, . - cor_sum_words

// uintptr_t cor_sum_copy_words(uint8_t *target, const uint8_t *source, uint32_t count)
// r0 target, r1 source, r2 count, r3 sum, r4-r7 words, r8 carries
	.section .text.cor_sum_copy_words, "ax", %progbits
	.global	cor_sum_copy_words
	.type	cor_sum_copy_words, %function
	.thumb_func
cor_sum_copy_words:
	push	{r4-r7, lr}
	mov	r4, r8
	push	{r4}
	movs	r3, #0
	mov	r8, r3
	subs	r2, #32
	blo	2f
1:
	ldmia	r1!, {r4-r7}
	stmia	r0!, {r4-r7}
	adds	r3, r4
	adcs	r3, r5
	adcs	r3, r6
	adcs	r3, r7
	ldmia	r1!, {r4-r7}
	stmia	r0!, {r4-r7}
	adcs	r3, r4
	adcs	r3, r5
	adcs	r3, r6
	adcs	r3, r7
	ldmia	r1!, {r4-r7}
	stmia	r0!, {r4-r7}
	adcs	r3, r4
	adcs	r3, r5
	adcs	r3, r6
	adcs	r3, r7
	ldmia	r1!, {r4-r7}
	stmia	r0!, {r4-r7}
	adcs	r3, r4
	adcs	r3, r5
	adcs	r3, r6
	adcs	r3, r7
	ldmia	r1!, {r4-r7}
	stmia	r0!, {r4-r7}
	adcs	r3, r4
	adcs	r3, r5
	adcs	r3, r6
	adcs	r3, r7
	ldmia	r1!, {r4-r7}
	stmia	r0!, {r4-r7}
	adcs	r3, r4
	adcs	r3, r5
	adcs	r3, r6
	adcs	r3, r7
	ldmia	r1!, {r4-r7}
	stmia	r0!, {r4-r7}
	adcs	r3, r4
	adcs	r3, r5
	adcs	r3, r6
	adcs	r3, r7
	ldmia	r1!, {r4-r7}
	stmia	r0!, {r4-r7}
	adcs	r3, r4
	adcs	r3, r5
	adcs	r3, r6
	adcs	r3, r7
	movs	r4, #0
	adcs	r4, r4
	add	r8, r4
	subs	r2, #32
	bhs	1b
2:
	adds	r2, #28
	bmi	4f
3:
	ldmia	r1!, {r4-r7}
	stmia	r0!, {r4-r7}
	adds	r3, r4
	adcs	r3, r5
	adcs	r3, r6
	adcs	r3, r7
	movs	r4, #0
	adcs	r4, r4
	add	r8, r4
	subs	r2, #4
	bpl	3b
4:
	adds	r2, #4
	beq	6f
5:
	ldmia	r1!, {r4}
	stmia	r0!, {r4}
	adds	r3, r4
	movs	r4, #0
	adcs	r4, r4
	add	r8, r4
	subs	r2, #1
	bne	5b
6:
	mov	r4, r8
	adds	r0, r3, r4
	movs	r4, #0
	adcs	r0, r4
	pop	{r4}
	mov	r8, r4
	pop	{r4-r7, pc}
	.size	cor_sum_copy_words, . - cor_sum_copy_words

#endif
