// SPDX-License-Identifier: MIT
// Chip: its life, power pin, interrupt line and the count of breaches.
#include "cyw43/parts.h"
#include "sim/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void twin_cyw43_deviate(struct twin_cyw43 *chip, const char *name) {
    chip->counters.deviations++;
    chip->last_deviation = name;
    twin_log(chip->config.log, "chip deviation %s", name);
    if (chip->config.strict) {
        (void)fprintf(stderr, "chip: deviation %s in strict mode\n", name);
        abort();
    }
}

// ---- interrupt line

static bool irq(void *context) {
    const struct twin_cyw43 *chip = context;
    bool pending;

    if (!chip->powered || chip_now_ns(chip) < chip->wake_at_ns) {
        return false;
    }
    pending = (twin_cyw43_interrupts(chip) & chip->bus.interrupt_enable) != 0;
    pending = twin_cyw43_fault_line(chip, pending);
    return pending == ((chip->bus.control & CONTROL_INTERRUPT_HI) != 0);
}

void twin_cyw43_update_irq(struct twin_cyw43 *chip) {
    bool level = irq(chip);

    if (level == chip->irq_level) {
        return;
    }
    chip->irq_level = level;
    if (level && twin_cyw43_fault_rise(chip)) {
        return;
    }
    if (chip->irq_changed != NULL) {
        chip->irq_changed(chip->irq_context, level);
    }
}

static void awake(void *context) {
    twin_cyw43_update_irq(context);
}

// ---- power

void twin_cyw43_reset_firmware(struct twin_cyw43 *chip) {
    struct twin_sim *sim = chip->config.sim;

    twin_cyw43_faults_reset(chip);
    twin_cyw43_drop_data(chip);
    twin_cyw43_leave(chip, false);
    twin_cyw43_drop_events(chip);
    while (chip->fifo.queue.head != NULL) {
        twin_frame_put(chip->config.frames, twin_frame_pop(&chip->fifo.queue));
    }
    chip->fifo = (struct host_fifo){0};
    twin_cancel(sim, &chip->request.run);
    chip->request.pending = false;
    for (size_t i = 0; i < NETWORKS_MAX; i++) {
        twin_cancel(sim, &chip->networks[i].scanned);
    }
    twin_cancel(sim, &chip->scan.end);
    chip->scan.running = false;
    twin_cyw43_keep_alive(chip, 0);
    chip->clm.loaded = false;
    chip->clm.size_bytes = 0;
    chip->clm.status = CLM_STATUS_NONE;
    chip->up = false;
    chip->gpio = 0;
    twin_cyw43_reset_credit(chip);
    twin_cyw43_reset_iovars(chip);
    twin_cyw43_update_irq(chip);
}

static void power(void *context, bool on) {
    struct twin_cyw43 *chip = context;

    if (on == chip->powered) {
        return;
    }
    twin_log(chip->config.log, "chip power %s", on ? "on" : "off");
    chip->powered = on;
    chip->wake_at_ns = chip_now_ns(chip) +
                       (on ? twin_cyw43_fault_time(chip, TWIN_WAKE_TIME, chip->config.wake_ns) : 0);
    twin_cyw43_reset_bus(chip);
    twin_cyw43_reset_backplane(chip);
    twin_cyw43_reset_firmware(chip);
    twin_cancel(chip->config.sim, &chip->awake);
    if (on) {
        twin_at(chip->config.sim, &chip->awake, chip->wake_at_ns);
    }
}

bool twin_cyw43_brownout(struct twin_cyw43 *chip) {
    power(chip, false);
    power(chip, true);
    return true;
}

// ---- life

void twin_cyw43_config_init(struct twin_cyw43_config *config) {
    *config = (struct twin_cyw43_config){
        .address = {0x02, 0xA0, 0x50, 0x43, 0x43, 0x90},  // locally administered
        .credit_window = CREDIT_WINDOW,
        .wake_ns = WAKE_NS,
        .ht_ns = HT_NS,
        .f2_ready_ns = F2_READY_NS,
        .credit_frames = true,
    };
}

static void init_events(struct twin_cyw43 *chip) {
    twin_event_init(&chip->awake, awake, chip);
    twin_event_init(&chip->credit.hold, twin_cyw43_credit_held, chip);
    twin_event_init(&chip->transmit.done, twin_cyw43_data_inside, chip);
    twin_event_init(&chip->request.run, twin_cyw43_ioctl_run, chip);
    twin_event_init(&chip->events.timer, twin_cyw43_event_due, chip);
    twin_event_init(&chip->join.found_none, twin_cyw43_join_found_none, chip);
    twin_event_init(&chip->join.keep_alive, twin_cyw43_keep_alive_due, chip);
    twin_event_init(&chip->join.beacons_lost, twin_cyw43_beacons_lost, chip);
    twin_event_init(&chip->scan.end, twin_cyw43_scan_end, chip);
}

static void network_init(
    struct twin_cyw43 *chip,
    uint32_t place,
    struct twin_cyw43_network there,
    const struct twin_mac_config *mac) {
    struct network *network = &chip->networks[place];

    network->chip = chip;
    network->air = there.air;
    network->ap = there.ap;
    twin_event_init(&network->scanned, twin_cyw43_scan_result, network);
    if (there.air != NULL) {
        network->mac = twin_mac_new(there.air, mac);
    }
    if (there.ap != NULL && network->mac != NULL) {
        twin_ap_watch(there.ap, network->mac, twin_cyw43_ap_notice, network);
    }
}

void twin_cyw43_set_address(struct twin_cyw43 *chip) {
    for (size_t i = 0; i < NETWORKS_MAX; i++) {
        if (chip->networks[i].mac != NULL) {
            twin_mac_set_address(chip->networks[i].mac, chip->address);
        }
    }
}

struct twin_cyw43 *twin_cyw43_new(const struct twin_cyw43_config *config) {
    struct twin_cyw43 *chip = twin_alloc(1, sizeof(*chip));
    struct twin_mac_config mac = {
        .ampdu_max = AMPDU_DEFAULT,
        .retries_max = (uint32_t)twin_sim_unsure(config->sim)->chip_retries_max,
        .context = chip,
        .sent = twin_cyw43_data_sent,
        .received = twin_cyw43_data_received,
    };

    TWIN_CHECK(config->credit_window >= 1 && config->credit_window <= CREDIT_WINDOW_MAX);
    chip->config = *config;
    if (chip->config.tx_buffers == 0) {
        chip->config.tx_buffers = config->credit_window;
    }
    if (chip->config.rx_fifo_frames == 0) {
        chip->config.rx_fifo_frames = (uint8_t)twin_sim_unsure(config->sim)->chip_rx_fifo_frames;
    }
    memcpy(mac.address, config->address, 6);
    mac.queue_frames = chip->config.tx_buffers + MAC_QUEUE_SPARE;
    init_events(chip);
    network_init(chip, 0, (struct twin_cyw43_network){config->air, config->ap}, &mac);
    for (uint32_t i = 0; i < TWIN_CYW43_OTHERS_MAX; i++) {
        network_init(chip, i + 1, config->others[i], &mac);
    }
    chip->mac = chip->networks[0].mac;
    twin_cyw43_reset_bus(chip);
    twin_cyw43_reset_backplane(chip);
    twin_cyw43_reset_firmware(chip);
    twin_cyw43_faults_init(chip);
    return chip;
}

void twin_cyw43_free(struct twin_cyw43 *chip) {
    if (chip == NULL) {
        return;
    }
    chip->irq_changed = NULL;
    chip->powered = true;
    power(chip, false);
    twin_cyw43_faults_free(chip);
    for (size_t i = 0; i < NETWORKS_MAX; i++) {
        struct network *network = &chip->networks[i];

        if (network->ap != NULL && network->mac != NULL) {
            twin_ap_watch(network->ap, network->mac, NULL, NULL);
        }
        if (network->mac != NULL) {
            twin_mac_free(network->mac);
        }
    }
    free(chip->plane.ram);
    free(chip);
}

struct twin_gspi_chip twin_cyw43_gspi(struct twin_cyw43 *chip) {
    return (struct twin_gspi_chip){
        .context = chip,
        .transfer = twin_cyw43_transfer,
        .irq = irq,
        .power = power,
    };
}

void twin_cyw43_on_irq(
    struct twin_cyw43 *chip, void (*changed)(void *context, bool level), void *context) {
    chip->irq_changed = changed;
    chip->irq_context = context;
}

void twin_cyw43_get_counters(const struct twin_cyw43 *chip, struct twin_cyw43_counters *counters) {
    *counters = chip->counters;
}

uint32_t twin_cyw43_gpio(const struct twin_cyw43 *chip) {
    return chip->gpio | (chip->plane.gpio_out & chip->plane.gpio_enable);
}

const char *twin_cyw43_last_deviation(const struct twin_cyw43 *chip) {
    return chip->last_deviation;
}
