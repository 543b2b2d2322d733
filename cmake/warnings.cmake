# SPDX-License-Identifier: MIT
# Warnings are errors in our presets only, never for those who include us.
option(COR_STRICT "Treat warnings as errors" OFF)

add_library(cor_warnings INTERFACE)
target_compile_options(
  cor_warnings
  INTERFACE -Wall -Wextra -Wconversion -Wshadow -Wundef -Wcast-qual -Wstrict-prototypes
            -Wmissing-prototypes -Wvla -Wdouble-promotion -Wformat=2
            $<$<BOOL:${COR_STRICT}>:-Werror>)
