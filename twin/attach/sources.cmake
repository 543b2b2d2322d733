# SPDX-License-Identifier: MIT
target_sources(coradio_twin PRIVATE attach/attach.c)
