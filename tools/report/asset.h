// SPDX-License-Identifier: MIT
// Assets: style and scripts that stand inside every report, so that a page needs no network.
#ifndef TOOLS_REPORT_ASSET_H
#define TOOLS_REPORT_ASSET_H

// Each ends with a zero byte. page.css, figure.css and page.js are ours; uPlot (MIT) is of npm.
extern const char report_page_css[];
extern const char report_figure_css[];
extern const char report_page_js[];
extern const char report_uplot_js[];
extern const char report_uplot_css[];
extern const char report_uplot_licence[];  // goes with every copy

#endif
