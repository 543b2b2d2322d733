// SPDX-License-Identifier: MIT
#include "view.h"

#include "common/units.h"
#include "samples.h"
#include "world_state.h"

// A terminal is drawn four times a second, a log gets a line a second.
#define TERMINAL_NS 250000000u
#define LOG_NS      1000000000u

// "source" is drawn as s, "peer_window" as p, ...; two begin with c.
static char letter(enum cor_meter_state state) {
    return state == COR_METER_STATE_credit ? 'C'
           : state == COR_METER_STATE_cpu  ? 'U'
                                           : cor_meter_state_name(state)[0];
}

void view_init(struct view *view, uint64_t total_bytes, uint64_t wall_ns) {
    *view = (struct view){.total_bytes = total_bytes, .drawn_ns = wall_ns};
    live_init(&view->live);
}

// What went on since the drawing before, as one slice.
static struct sample since(const struct world *world, size_t from, size_t count) {
    struct sample sum = {0};
    double busy_ns = 0;
    double energy = 0;

    for (size_t i = from; i < count; i++) {
        struct sample each = samples_at(world, i);

        sum.end_ns = each.end_ns;
        sum.length_ns += each.length_ns;
        sum.payload_bytes += each.payload_bytes;
        sum.retransmissions += each.retransmissions;
        busy_ns += each.bus_utilization * (double)each.length_ns;
        energy += each.power_mw * (double)each.length_ns;
        for (int j = 0; j < COR_METER_STATE_COUNT; j++) {
            sum.state_us[j] += each.state_us[j];
        }
    }
    sum.bus_utilization = sum.length_ns == 0 ? 0 : busy_ns / (double)sum.length_ns;
    sum.power_mw = sum.length_ns == 0 ? 0 : energy / (double)sum.length_ns;
    return sum;
}

static void draw_rate(
    struct view *view, const struct world *world, const struct sample *slice, size_t count) {
    char rate[UNITS_TEXT_SIZE];
    char done[UNITS_TEXT_SIZE];
    char total[UNITS_TEXT_SIZE];
    uint64_t done_bytes = 0;

    for (size_t i = 0; i < count; i++) {
        done_bytes += samples_at(world, i).payload_bytes;
    }
    units_format_rate(rate, (double)slice->payload_bytes * 8e9 / (double)slice->length_ns);
    live_line(
        &view->live,
        "%s (simulated), %s%s%s after %.1f s, %llu sent again, %.0f mW",
        rate,
        units_format_size(done, done_bytes),
        view->total_bytes == 0 ? "" : " of ",
        view->total_bytes == 0 ? "" : units_format_size(total, view->total_bytes),
        (double)slice->end_ns / 1e9,
        (unsigned long long)slice->retransmissions,
        slice->power_mw);
}

static void draw_history(struct view *view, const struct world *world, size_t count) {
    double values[LIVE_HISTORY_MAX];
    size_t first = count > LIVE_HISTORY_MAX ? count - LIVE_HISTORY_MAX : 0;
    double max = 0;

    for (size_t i = first; i < count; i++) {
        struct sample each = samples_at(world, i);

        values[i - first] = (double)each.payload_bytes / (double)each.length_ns;
        max = values[i - first] > max ? values[i - first] : max;
    }
    live_history(&view->live, "rate", values, count - first, max);
}

static void draw(struct view *view, const struct world *world, size_t count) {
    struct sample slice = since(world, view->shown, count);
    struct live_part states[COR_METER_STATE_COUNT];
    struct live_part bus[2] = {
        {"busy", '#', slice.bus_utilization},
        {"idle", '.', 1 - slice.bus_utilization},
    };
    uint64_t whole_us = 0;

    for (int i = 0; i < COR_METER_STATE_COUNT; i++) {
        whole_us += slice.state_us[i];
    }
    for (int i = 0; i < COR_METER_STATE_COUNT; i++) {
        states[i] = (struct live_part){
            .name = cor_meter_state_name((enum cor_meter_state)i),
            .letter = letter((enum cor_meter_state)i),
            .share = whole_us == 0 ? 0 : (double)slice.state_us[i] / (double)whole_us,
        };
    }
    live_begin(&view->live);
    draw_rate(view, world, &slice, count);
    draw_history(view, world, count);
    live_bar(&view->live, "waits for", states, COR_METER_STATE_COUNT);
    live_bar(&view->live, "bus", bus, 2);
    live_end(&view->live);
}

void view_update(struct view *view, const struct world *world, uint64_t wall_ns) {
    size_t count = samples_count(world);

    if (count <= view->shown ||
        wall_ns - view->drawn_ns < (view->live.terminal ? TERMINAL_NS : LOG_NS)) {
        return;
    }
    draw(view, world, count);
    view->drawn_ns = wall_ns;
    view->shown = count;
}
