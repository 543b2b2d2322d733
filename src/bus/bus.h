// SPDX-License-Identifier: MIT
// Bus calls: the way of a driver through the bus seam, with the seam's contract checked.
#ifndef BUS_BUS_H
#define BUS_BUS_H

#include <stddef.h>

#include "coradio/bus.h"

// Asserts the rules of struct cor_bus_xfer, then queues the transfer.
COR_MUST_CHECK enum cor_status cor_bus_start(struct cor_bus *bus, struct cor_bus_xfer *xfer);

COR_MUST_CHECK static inline enum cor_status cor_bus_poll(struct cor_bus *bus) {
    return bus->ops->poll(bus);
}

COR_MUST_CHECK static inline int32_t cor_bus_set_clock_hz(struct cor_bus *bus, int32_t clock_hz) {
    return bus->ops->set_clock_hz(bus, clock_hz);
}

static inline bool cor_bus_irq_pending(struct cor_bus *bus) {
    return bus->ops->irq_pending(bus);
}

// False: the port samples in its own way.
static inline bool cor_bus_set_sampling(struct cor_bus *bus, enum cor_bus_sampling sampling) {
    if (bus->ops->set_sampling == NULL) {
        return false;
    }
    bus->ops->set_sampling(bus, sampling);
    return true;
}

static inline void cor_bus_set_power(struct cor_bus *bus, bool on) {
    bus->ops->set_power(bus, on);
}

#endif
