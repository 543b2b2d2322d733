// SPDX-License-Identifier: MIT
// Features: what the write-up says of the C6's Wi-Fi features, what is so, and what goodput gains.
#include "budget/report.h"
#include "common/json.h"

// Makes the feature's change; the gain is that of the air's UDP bound, on an empty channel.
typedef void (*feature_fn)(struct budget *budget);

struct feature {
    const char *name;
    const char *claim;
    const char *fact;
    feature_fn make;     // NULL: no effect on one station's goodput, or none to compute
    const char *effect;  // what to say beside the gain
};

static void mcs9(struct budget *budget) {
    budget->air.mcs = 9;
}

static void ba_window_32(struct budget *budget) {
    budget->ampdu = 32;
}

static void ht40(struct budget *budget) {
    budget->air.format = AIRTIME_HT40;
    budget->air.mcs = 7;
}

static void ht20(struct budget *budget) {
    budget->air.format = AIRTIME_HT20;
    budget->air.mcs = 7;
}

static void long_gi(struct budget *budget) {
    budget->air.gi = AIRTIME_GI_LONG;
}

static const struct feature features[] = {
    {"1024-QAM (MCS10, 11)",
     "yes, rarely used",
     "Absent: HE with MCS 0 to 9 is in the data sheet. The step that exists is MCS7 to MCS9.",
     mcs9,
     "for MCS9 in place of MCS7"},
    {"802.11ax (HE20)",
     "better coding, not raw speed",
     "Longer symbols carry 86.0 instead of 72.2 Mbit/s at MCS7; the preamble is longer too.",
     ht20,
     "for HT20 in place of HE20"},
    {"MU-MIMO",
     "no, \"major speed gains come from this\"",
     "True that it has one stream. MU-MIMO raises the sum over many stations, not the rate of one.",
     NULL,
     "none"},
    {"5 GHz",
     "no",
     "True. The ESP32-C5 has it; the same arithmetic holds there. The gain is a free channel.",
     NULL,
     "none on a free channel; as much as neighbours take on a full one"},
    {"OFDMA",
     "partial, minor improvement",
     "Station side only. It shares one transmission among stations. With trigger frames the "
     "access point gives out the time, and the back-off computed here does not apply.",
     NULL,
     "none for one busy station"},
    {"BSS colouring",
     "reduces collisions",
     "It lets a station send while a distant network with another colour does, if the access "
     "point is 802.11ax and allows it.",
     NULL,
     "none on a free channel"},
    {"TWT", "power saving, not throughput", "True.", NULL, "none, or a loss"},
    {"A-MPDU, BA window 6",
     "enabled, low",
     "The window for sending is 6 in ESP-IDF, 32 in the co-processor's own defaults; the standard "
     "has 64 (HT) and 256 (HE), ESP-IDF 32 or 64. Under ESP-Hosted the host's setting for "
     "receiving is not forwarded: it stays at 6. Nothing gains while frames do not queue.",
     ba_window_32,
     "for 32 in place of 6, if so many wait"},
    {"A-MSDU",
     "enabled",
     "The driver declines it in its block-ack requests (log: \"A-MSDU:0(not "
     "supported)\").",
     NULL,
     "none"},
    {"channel of 40 MHz",
     "worse (13 to 25 measured)",
     "In 802.11n framing only. Faster on an empty channel, slower where neighbours share the "
     "second half: the write-up measured 41 to 69 % loss.",
     ht40,
     "for HT40 MCS7, empty channel"},
    {"guard interval 0.8 us",
     "(assumed)",
     "The shortest one; negotiated with the access point.",
     long_gi,
     "for 1.6 us"},
};

#define FEATURES (sizeof(features) / sizeof(features[0]))

// The air of the write-up's settings, changed or not.
static double air_bps(feature_fn make) {
    struct budget budget;
    struct budget_result result;

    budget_init(&budget, budget_board_find("esp32p4c6"));
    budget.app = BUDGET_UDP;
    if (make != NULL) {
        make(&budget);
    }
    budget_evaluate(&budget, BUDGET_UDP, &result);
    return result.stages[BUDGET_AIR].bps;
}

static double gain(const struct feature *feature) {
    return feature->make == NULL ? 0 : air_bps(feature->make) / air_bps(NULL) - 1;
}

static void effect_text(char *text, size_t size, const struct feature *feature) {
    if (feature->make == NULL) {
        snprintf(text, size, "%s", feature->effect);
    } else {
        snprintf(
            text,
            size,
            "%+.0f %% of the air's bound (%.1f to %.1f Mbit/s) %s",
            100 * gain(feature),
            air_bps(NULL) / 1e6,
            air_bps(feature->make) / 1e6,
            feature->effect);
    }
}

void budget_features_text(FILE *out) {
    fprintf(
        out,
        "Wi-Fi features of the ESP32-C6. Effects on the air's bound for UDP, computed from HE20 "
        "MCS7 with 6\nframes a transmission on an empty channel.\n");
    for (size_t i = 0; i < FEATURES; i++) {
        char effect[192];

        effect_text(effect, sizeof(effect), &features[i]);
        fprintf(out, "\n  %s\n", features[i].name);
        budget_wrap(out, 13, "    claim    ", features[i].claim);
        budget_wrap(out, 13, "    fact     ", features[i].fact);
        budget_wrap(out, 13, "    effect   ", effect);
    }
    fputc('\n', out);
    budget_wrap(
        out,
        2,
        "  ",
        "None of the new features of Wi-Fi 6 makes one station on a free channel much faster. What "
        "does is sending more frames at once, and a higher MCS.");
}

void budget_features_json(cJSON *root) {
    cJSON *array = json_add_array(root, "features");

    for (size_t i = 0; i < FEATURES; i++) {
        cJSON *to = json_append_object(array);
        char effect[192];

        effect_text(effect, sizeof(effect), &features[i]);
        json_add_text(to, "feature", features[i].name);
        json_add_text(to, "claim", features[i].claim);
        json_add_text(to, "fact", features[i].fact);
        json_add_text(to, "effect", effect);
        json_add_real(to, "air_udp_gain", gain(&features[i]), 4);
    }
}
