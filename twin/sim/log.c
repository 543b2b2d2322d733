// SPDX-License-Identifier: MIT
#include "coradio_twin/log.h"

#include <inttypes.h>
#include <stdarg.h>

void twin_log(struct twin_log *log, const char *format, ...) {
    va_list arguments;
    uint64_t now_ns;

    if (log == NULL || log->file == NULL) {
        return;
    }
    now_ns = twin_now_ns(log->sim);
    (void)fprintf(
        log->file, "%" PRIu64 ".%09" PRIu64 " ", now_ns / 1000000000u, now_ns % 1000000000u);
    va_start(arguments, format);
    // NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): it is, in the line above
    (void)vfprintf(log->file, format, arguments);
    va_end(arguments);
    (void)fputc('\n', log->file);
}
