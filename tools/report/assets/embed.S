// SPDX-License-Identifier: MIT
// The files a report carries inside it, as bytes of the program; the build gives their folders.
    .section .rodata
    .macro embed name, path
    .global \name
    .global \name\()_end
\name:
    .incbin "\path"
\name\()_end:
    .byte 0
    .endm

    embed report_page_css, REPORT_PAGE_CSS
    embed report_figure_css, REPORT_FIGURE_CSS
    embed report_page_js, REPORT_PAGE_JS
    embed report_uplot_js, REPORT_UPLOT_JS
    embed report_uplot_licence, REPORT_UPLOT_LICENCE
    embed report_uplot_css, REPORT_UPLOT_CSS
    .section .note.GNU-stack, "", @progbits
