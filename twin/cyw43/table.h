// SPDX-License-Identifier: MIT
// Table: every constant of the chip model, with its source.
//
// Kinds of source: *specified* (data sheet, read at second hand in public notes), *read from public
// code* (host drivers: cyw43-driver and pico-sdk, embassy cyw43, PicoWi, the Infineon wifi-host-
// driver, brcmfmac, bcmdhd), *measured* (traces published by users), or UNSURE.
#ifndef TWIN_CYW43_TABLE_H
#define TWIN_CYW43_TABLE_H

// ---- gSPI functions and lengths

// Read from public code: the command word of all drivers.
#define F0_BUS          0u
#define F1_BACKPLANE    1u
#define F2_WLAN         2u
#define F1_BYTES_MAX    64u
#define F2_BYTES_MAX    2048u
#define LENGTH_ZERO     2048u  // what length 0 in a command means
#define WINDOW_BYTES    0x8000u
#define F1_ADDRESS_MASK 0x7FFFu
#define F1_DEVICE_BIT   0x10000u  // address bit 16: device registers
#define F0_ADDRESS_MAX  0xFFu

// ---- F0 registers and their reset values

// Measured: a published bring-up trace shows a low byte of 0011_0000 (high speed, interrupt high).
#define F0_CONTROL_RESET 0x30u
// Read from public code (bcmdhd's default word 0x00010430).
#define F0_DELAY_RESET         4u
#define F0_STATUS_ENABLE_RESET 1u
// Read from public code: drivers find DATA_UNAVAILABLE set once at start and clear it.
#define F0_INTERRUPT_RESET 0x0001u
// UNSURE: reset values that no public driver depends on.
#define F0_INTERRUPT_ENABLE_RESET 0xE0E7u
#define F0_F1_DELAY_RESET         4u
#define F0_INFO_ENABLED           1u
#define F0_INFO_READY             2u
#define F0_TEST_VALUE             0xFEEDBEADu  // specified

#define CONTROL_WORD_32       0x01u
#define CONTROL_BIG           0x02u
#define CONTROL_INTERRUPT_HI  0x20u
#define STATUS_ENABLE         0x01u
#define STATUS_RESP_DELAY_ALL 0x04u
#define RESET_SPI_BLOCK       0x80u

// Interrupt register, read from public code.
#define INTERRUPT_DATA_UNAVAILABLE 0x0001u
#define INTERRUPT_UNDERFLOW        0x0002u
#define INTERRUPT_OVERFLOW         0x0004u
#define INTERRUPT_COMMAND          0x0008u
#define INTERRUPT_DATA             0x0010u
#define INTERRUPT_F2_PACKET        0x0020u  // level: the FIFO is not empty
#define INTERRUPT_F1_OVERFLOW      0x0080u
#define INTERRUPT_LEVELS           INTERRUPT_F2_PACKET

// Status word, read from public code.
#define STATUS_DATA_UNAVAILABLE 0x00000001u
#define STATUS_UNDERFLOW        0x00000002u
#define STATUS_OVERFLOW         0x00000004u
#define STATUS_F2_RX_READY      0x00000020u
#define STATUS_ERROR            0x00000080u
#define STATUS_F2_PACKET        0x00000100u
#define STATUS_F2_LENGTH_SHIFT  9
#define STATUS_ASLEEP           0xFFFFFFFFu

// ---- backplane

#define RAM_BYTES          0x80000u  // specified: 512 KiB
#define RAM_UNDEFINED      0xA5u     // RAM after power up; any pattern but zero will do
#define SHARED_POINTER     0x6FFFCu  // read from public code: RAM size - 64 KiB - 4
#define SHARED_ADDRESS     0x40000u  // above any image; a real firmware's is somewhere in its data
#define SHARED_CONSOLE     (SHARED_ADDRESS + 0x40u)
#define SHARED_RING        (SHARED_ADDRESS + 0x80u)
#define CONSOLE_BYTES      0x400u       // read from public code
#define CHIP_ID            0x2D85A9AFu  // measured: low half 43439 decimal
#define NVRAM_TRAILER      0x7FFFCu     // read from public code: last word of the RAM
#define NVRAM_BYTES_MAX    0x2000u      // UNSURE: real ones are below 1 KiB
#define FIRMWARE_BYTES_MIN 800u         // read from public code: the tail that is checked

#define CLOCK_FORCE_ALP   0x01u
#define CLOCK_FORCE_HT    0x02u
#define CLOCK_ALP_REQUEST 0x08u
#define CLOCK_HT_REQUEST  0x10u
#define CLOCK_REQUESTS    (CLOCK_FORCE_ALP | CLOCK_FORCE_HT | CLOCK_ALP_REQUEST | CLOCK_HT_REQUEST)
#define CLOCK_WRITABLE    0x3Fu
#define CLOCK_ALP         0x40u
#define CLOCK_HT          0x80u
#define SLEEP_KEEP_ON     0x01u
#define SLEEP_DEVICE_ON   0x02u
#define FRAME_ABORT_READ  0x01u

// UNSURE: drivers poll for 10 ms; the crystal runs already, so it is short.
#define ALP_NS       500000u
#define ALP_NS_RANGE 50000u, 10000000u
// Read from public code: KSO is sampled by the 32.768 kHz clock, so it may take one tick.
#define KEEP_ON_NS 30518u

// ---- the wires

// From the edge that clocks the last bit of the command to the first bit of data at the host's
// input: pad, chip, resistor, pad. Measured: the one value that explains the public reports of what
// works on Pico W and Pico 2 W lies between 26.7 and 30.0 ns.
#define LOOP_DELAY_NS 28u

// ---- start

// Specified at second hand; drivers wait 50 to 250 ms.
#define WAKE_NS 30000000u
// Measured: traces of users show 18 to 29 ms, and about 84 ms more.
#define HT_NS       20000000u
#define F2_READY_NS 80000000u

// ---- SDPCM

// Read from public code.
#define SDPCM_HEADER_BYTES   12u
#define SDPCM_PADDED_BYTES   14u  // header length of data frames and events
#define BDC_BYTES            4u
#define ETHERNET_OFFSET      22u  // in a frame towards the host: 14 + 4 + one word of data offset
#define CHANNEL_CONTROL      0u
#define CHANNEL_EVENT        1u
#define CHANNEL_DATA         2u
#define CHANNEL_CREDIT       16u  // ours: a frame for its header alone
#define CDC_BYTES            16u
#define BDC_VERSION_FLAGS    0x20u
#define ETHERNET_BYTES_MIN   14u
#define ETHERNET_BYTES_MAX   1514u
#define UNPADDED_TAIL_BYTES  2u  // zeros the firmware appends where the two pad bytes are missing
#define HOST_CREDIT_AT_START 1u  // what all drivers that count take themselves to have

// UNSURE: the window of the real firmware is not published; 8 lies in the range drivers accept.
#define CREDIT_WINDOW       8u
#define CREDIT_WINDOW_RANGE 4u, CREDIT_WINDOW_MAX
#define CREDIT_WINDOW_MAX   20u  // read from public code: a larger step is ignored by cyw43-driver
// Time inside the chip for each frame, one after the other. UNSURE: nothing is known; none is
// taken. 250 us would explain the write-up's constant.
#define FRAME_NS       0u
#define FRAME_NS_RANGE 0u, 300000u
// UNSURE: depth of the FIFO towards the host and of the spare room for control frames and events.
#define RX_FIFO_FRAMES       16u
#define RX_FIFO_FRAMES_RANGE 8u, 32u
#define RX_FIFO_RESERVED     16u

// When a frame of 12 bytes is sent only to carry credit; each costs 160 bits of the bus. It needs
// an empty FIFO (any other frame carries the credit as well) and credit that the host has not been
// told, and then one of two: the host has at most CREDIT_LOW frames left; or it has used half of
// its window, and CREDIT_HOLD_NS have passed since there was more to tell.
// UNSURE: the firmware's threshold is said to be 2; the time is ours.
#define CREDIT_LOW           2
#define CREDIT_LOW_RANGE     0, 4
#define CREDIT_HOLD_NS       10000000u
#define CREDIT_HOLD_NS_RANGE 1000000u, 50000000u

// ---- control requests

// UNSURE: "a few ms or less" by the drivers' time-outs.
#define IOCTL_NS       500000u
#define IOCTL_NS_RANGE 100000u, 5000000u
// Measured: about 32 ms.
#define COUNTRY_NS 32000000u
// Room for the buffer of a request. cyw43-driver takes no frame of more than 1536 bytes.
#define IOCTL_REPLY_BYTES_MAX 1508u

// Read from public code: error codes.
#define BCME_ERROR          (-1)
#define BCME_BAD_ARGUMENT   (-2)
#define BCME_NOT_UP         (-4)
#define BCME_NOT_DOWN       (-5)
#define BCME_SHORT          (-14)
#define BCME_BUSY           (-16)
#define BCME_NOT_ASSOCIATED (-17)
#define BCME_UNSUPPORTED    (-23)
#define BCME_RANGE          (-29)

// UNSURE: the numbers; drivers only test for 0, which means loaded.
#define CLM_STATUS_NONE 1u
#define CLM_STATUS_BAD  3u

// Measured: a block-ack window of 16 is answered with -29, 8 is taken.
#define AMPDU_WINDOW_MAX 8u
// UNSURE: what the MAC does until the host sets either limit.
#define AMPDU_DEFAULT  8u
#define AMPDU_MPDU_MAX 32u
// UNSURE: attempts beyond the first; 7 is the usual short retry limit.
#define RETRIES_MAX       7u
#define RETRIES_MAX_RANGE 4u, 15u
// Room in the MAC beyond the chip's buffers, for frames of before a power cycle still in the air.
#define MAC_QUEUE_SPARE 32u
// UNSURE: noise floor that scan results report.
#define NOISE_DBM (-92)

#define MCAST_MAX              10u   // read from public code
#define SAE_PASSWORD_BYTES_MAX 128u  // read from public code
// UNSURE: values until the host sets others.
#define SLEEP_RETURN_MS 200u
#define MAXASSOC        10u
#define AMPDU_RX_FACTOR 3u

// ---- events and joining

#define EVENT_MASK_BYTES 32u

// Read from public code: one driver's queue holds two events.
#define EVENT_SPACING_NS 1000000u
#define EVENT_FRAMES_MAX 32u  // waiting to be sent
// UNSURE: dwell time of an active scan on one channel, and the channels it visits.
#define SCAN_CHANNEL_NS 40000000u
#define SCAN_CHANNELS   13u
// Read from public code: "after a scan time (about 1..3 s)", where no access point exists at all.
#define NO_NETWORK_NS 1000000000u
// UNSURE: how long a firmware goes without beacons before it gives the link up; brcmfmac sets 4 s
// with roaming off, the drivers of this chip set nothing.
#define BEACONS_LOST_NS 4000000000u

#endif
