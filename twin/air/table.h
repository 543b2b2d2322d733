// SPDX-License-Identifier: MIT
// Table: every constant of the air, the two MACs and the access point, with its source.
//
// Kinds of sources: *specified* (IEEE 802.11-2016, 2.4 GHz, short slot, unless said otherwise),
// *read from public code*, *measured*, or "UNSURE:" for what nobody has told us.
#ifndef TWIN_AIR_TABLE_H
#define TWIN_AIR_TABLE_H

#define US UINT64_C(1000)
#define MS UINT64_C(1000000)

// ---- spaces between frames

// Specified: ERP PHY (clause 18) and HT PHY (clause 19) at 2.4 GHz.
#define TWIN_AIR_SIFS_NS (10 * US)
#define TWIN_AIR_SLOT_NS (9 * US)
// Specified: no transmission for 6 us behind an OFDM or HT PPDU at 2.4 GHz; part of its duration.
#define TWIN_AIR_EXTENSION_NS (6 * US)
// ACK time-out = SIFS + slot + PHY-RX-START delay (specified, 10.3.2.9). UNSURE: that delay is 24
// us here (ERP-OFDM); the fact sheet gives 40..55 us for the sum.
#define TWIN_AIR_ACK_TIMEOUT_NS       (TWIN_AIR_SIFS_NS + TWIN_AIR_SLOT_NS + 24 * US)
#define TWIN_AIR_ACK_TIMEOUT_NS_RANGE (40 * US), (55 * US)

// ---- access category best effort

// AIFS[BE] = SIFS + 3 slots. Read from public code: hostapd.conf, wmm_ac_be_aifs=3 for stations and
// tx_queue_data2_aifs=3 for the access point itself.
#define TWIN_AIR_AIFS_NS (TWIN_AIR_SIFS_NS + 3 * TWIN_AIR_SLOT_NS)
// Read from public code: hostapd.conf, wmm_ac_be_cwmin=4 and cwmax=10 (2^n - 1 slots) for stations,
// tx_queue_data2_cwmin=15 and cwmax=63 for the access point. The TXOP limit is 0: one PPDU.
#define TWIN_AIR_CW_MIN         15u
#define TWIN_AIR_STATION_CW_MAX 1023u
#define TWIN_AIR_AP_CW_MAX      63u
// Beacons and the group frames behind a DTIM go after PIFS, without back-off. Read from public
// code: ath9k and ath5k configure the beacon queue with aifs 1 (or 0) and cw 0.
#define TWIN_AIR_PIFS_NS (TWIN_AIR_SIFS_NS + TWIN_AIR_SLOT_NS)
// Attempts beyond the first. Specified: dot11ShortRetryLimit is 7 by default.
#define TWIN_AIR_RETRIES_MAX 7u

// ---- PPDUs

// Specified: HT-mixed format, one stream: L-STF 8, L-LTF 8, L-SIG 4, HT-SIG 8, HT-STF 4, HT-LTF 4.
#define TWIN_AIR_HT_PREAMBLE_NS (36 * US)
// Specified: OFDM symbol with long guard interval, in HT and non-HT PPDUs; with the short one 3.6
// us, and the data part is then rounded up to 4 us.
#define TWIN_AIR_SYMBOL_NS (4 * US)
// Specified: service field and tail of one BCC encoder, in bits.
#define TWIN_AIR_SERVICE_TAIL_BITS (16u + 6u)
// Specified: data bits a symbol, HT20, one stream, MCS 0..7.
#define TWIN_AIR_HT20_DBPS                                                                         \
    { 26, 52, 78, 104, 156, 208, 234, 260 }
// Specified: non-HT OFDM: L-STF 8, L-LTF 8, L-SIG 4.
#define TWIN_AIR_OFDM_PREAMBLE_NS (20 * US)
// Control responses and null frames: the highest basic rate not above that of the data. UNSURE: it
// is 24 Mbit/s with most access points, 6 or 12 with some.
#define TWIN_AIR_RESPONSE_DBPS       96u
#define TWIN_AIR_RESPONSE_DBPS_RANGE 24u, 96u
// Specified: DSSS long preamble and header 144 + 48 us. Beacons and group frames go at the lowest
// basic rate. UNSURE: that is 1 Mbit/s with most access points.
#define TWIN_AIR_DSSS_PREAMBLE_NS  (192 * US)
#define TWIN_AIR_DSSS_BIT_NS       (1 * US)
#define TWIN_AIR_DSSS_BIT_NS_RANGE 182u, (1 * US)
// Specified: the longest PPDU (L-SIG length field), without the signal extension.
#define TWIN_AIR_PPDU_MAX_NS (5484 * US)

// ---- frames, in bytes

// Specified: QoS data header 26, CCMP 8 + 8, LLC/SNAP 8 in place of the Ethernet header, FCS 4.
#define TWIN_AIR_QOS_HEADER_BYTES 26u
#define TWIN_AIR_CCMP_BYTES       16u
#define TWIN_AIR_LLC_BYTES        8u
#define TWIN_AIR_FCS_BYTES        4u
#define TWIN_AIR_ETHERNET_BYTES   14u
// Specified: A-MPDU delimiter; each subframe but the last is padded to 4. UNSURE: the minimum MPDU
// start spacing is 8 us or less, so that no subframe needs empty delimiters.
#define TWIN_AIR_DELIMITER_BYTES 4u
// Specified: the longest HT A-MPDU, exponent 3.
#define TWIN_AIR_AMPDU_BYTES_MAX 65535u
// Specified: MPDUs that may be unacknowledged under an HT block-ack agreement.
#define TWIN_AIR_WINDOW_MPDUS 64u
// MPDUs in one A-MPDU that the model carries (twin_mac_config.ampdu_max is cut down to it).
#define TWIN_AIR_AMPDU_MPDUS_MAX 32u
// Specified: ACK, compressed BlockAck, null frame (24 + FCS).
#define TWIN_AIR_ACK_BYTES       14u
#define TWIN_AIR_BLOCK_ACK_BYTES 32u
#define TWIN_AIR_NULL_BYTES      28u
// A beacon. UNSURE: 150 to 300 bytes, as long as the access point's list of elements.
#define TWIN_AIR_BEACON_BYTES       150u
#define TWIN_AIR_BEACON_BYTES_RANGE 150u, 300u

// ---- beacons and power save

// Specified: a time unit is 1024 us. Read from public code: hostapd's default beacon_int is 100.
#define TWIN_AIR_TU_NS     (1024 * US)
#define TWIN_AP_BEACON_TU  100u
#define TWIN_AP_DTIM_COUNT 1u
// Return to sleep in PM2. Read from public code: pm2_sleep_ret of the C driver's PERFORMANCE word.
#define TWIN_AIR_SLEEP_RETURN_NS (200 * MS)

// MPDUs of the access point in one A-MPDU. UNSURE: as many as the board's block-ack window of 8; an
// access point may send TCP's ACKs one by one.
#define TWIN_AP_AMPDU       8u
#define TWIN_AP_AMPDU_RANGE 1u, 32u

// ---- queues

// UNSURE: frames a MAC holds towards one receiver (mac80211's access points of today hold more,
// with a queue discipline; the chip holds fewer, and its model sets so).
#define TWIN_AIR_QUEUE_FRAMES       256u
#define TWIN_AIR_QUEUE_FRAMES_RANGE 32u, 1024u

// ---- other networks on the channel

#define TWIN_AIR_NEIGHBOURS_MAX 8u
// UNSURE: how long an exchange of a neighbour takes, response included: evenly between these two,
// as single frames and short aggregates of a household do.
#define TWIN_AIR_NEIGHBOUR_MIN_NS (300 * US)
#define TWIN_AIR_NEIGHBOUR_MAX_NS (2700 * US)
// Specified: IEEE 802.11-2016 table 19-23, least sensitivity at 20 MHz, MCS 0 to 7, in dBm: 10 % of
// PSDUs of 4096 bytes are lost there. Real receivers are some dB better.
#define TWIN_AIR_SENSITIVITY_DBM                                                                   \
    { -82, -79, -77, -74, -70, -66, -65, -64 }
// UNSURE: how steeply losses fall with the signal: a factor of ten in so many dB.
#define TWIN_AIR_DECADE_DB 2.0
// UNSURE: what rate control keeps between signal and sensitivity.
#define TWIN_AIR_MARGIN_DB 3.0
// UNSURE: a signal that drifts takes a step so often, and forgets half of where it was in 7 steps.
#define TWIN_AIR_DRIFT_NS   (100 * MS)
#define TWIN_AIR_DRIFT_KEEP 0.9

// ---- access point: how long a join takes

#define TWIN_AP_STATIONS_MAX 8u
// Specified: IEEE 802.11 9.4.1.9, status code 1, unspecified failure; 9.4.1.7, reason 7, class 3
// frame received from a station that is not associated.
#define TWIN_AP_DENIED_UNSPECIFIED 1u
#define TWIN_AP_REASON_CLASS_3     7u
// Time on a channel. Read from public code: picowi sets 40 ms. UNSURE: what the firmware takes
// without being told. All channels are visited before a network is chosen.
#define TWIN_AP_SCAN_CHANNEL_NS       (40 * MS)
#define TWIN_AP_SCAN_CHANNEL_NS_RANGE (20 * MS), (120 * MS)
#define TWIN_AP_SCAN_CHANNELS         13u
// UNSURE: passes over all channels before "no network"; four make the 1..3 s seen on boards.
#define TWIN_AP_SCAN_PASSES 4u
// UNSURE: authentication and association, request and answer each.
#define TWIN_AP_AUTH_NS        (3 * MS)
#define TWIN_AP_AUTH_NS_RANGE  (1 * MS), (20 * MS)
#define TWIN_AP_ASSOC_NS       (3 * MS)
#define TWIN_AP_ASSOC_NS_RANGE (1 * MS), (20 * MS)
// UNSURE: the four messages of the key exchange, processing at both ends included.
#define TWIN_AP_HANDSHAKE_NS       (30 * MS)
#define TWIN_AP_HANDSHAKE_NS_RANGE (5 * MS), (200 * MS)
// UNSURE: commit and confirm of SAE, two messages each way, and the arithmetic at both ends.
#define TWIN_AP_SAE_NS       (200 * MS)
#define TWIN_AP_SAE_NS_RANGE (50 * MS), (800 * MS)
// With a wrong key message 1 is sent four times, 100 ms and then 1000 ms apart, before the station
// is thrown out. Read from public code: hostapd wpa_auth.c, eapol_key_timeout_first 100 and _subseq
// 1000, wpa_pairwise_update_count 4.
#define TWIN_AP_WRONG_KEY_NS (3100 * MS)

#endif
