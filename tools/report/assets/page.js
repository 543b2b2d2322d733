// SPDX-License-Identifier: MIT
// Makes the drawn figures of a report live: where a figure carries its numbers, uPlot takes the
// place of the picture, with a cursor that tells the values. Without this script the pictures stay.
"use strict";

(() => {
  if (typeof uPlot === "undefined") {
    return; // built without it: the pictures stay
  }
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const plots = [];

  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  const axis = (label, size) => ({
    label,
    labelSize: 18,
    size,
    stroke: () => colour("--fg"),
    grid: { stroke: () => colour("--grid"), width: 1 },
    ticks: { stroke: () => colour("--grid"), width: 1 },
  });

  const fixed = (digits) => (u, value) => (value === null ? "" : value.toFixed(digits));

  // Lines: {x, series: [{label, colour, values, dash}], unit}
  const lines = (numbers, width) => ({
    options: {
      width,
      height: 260,
      scales: { x: { time: false }, y: { range: (u, low, high) => [0, high > 0 ? high * 1.1 : 1] } },
      axes: [axis("seconds of the transfer", 42), axis(numbers.unit, 56)],
      series: [
        { label: "s", value: fixed(3) },
        ...numbers.series.map((each) => ({
          label: each.label,
          stroke: () => colour(each.colour),
          width: 2,
          dash: each.dash ? [6, 4] : undefined,
          points: { show: false },
          value: fixed(2),
        })),
      ],
    },
    data: [numbers.x, ...numbers.series.map((each) => each.values)],
  });

  // Shares that stand on each other: each series is drawn up to the sum of it and those below.
  const stacked = (numbers, width) => {
    const sums = new Array(numbers.x.length).fill(0);
    const tops = numbers.series.map((each) =>
      each.values.map((value, i) => (sums[i] += value)));
    const order = tops.map((top, i) => i).reverse();
    return {
      options: {
        width,
        height: 220,
        scales: { x: { time: false }, y: { range: [0, 100] } },
        axes: [axis("seconds of the transfer", 42), axis("% of the time", 56)],
        series: [
          { label: "s", value: fixed(3) },
          ...order.map((i) => ({
            label: numbers.series[i].label,
            stroke: () => colour(numbers.series[i].colour),
            fill: () => colour(numbers.series[i].colour),
            width: 1,
            points: { show: false },
            value: (u, value, series, at) =>
              (at === null || at === undefined ? "" : numbers.series[i].values[at].toFixed(1) + " %"),
          })),
        ],
      },
      data: [numbers.x, ...order.map((i) => tops[i])],
    };
  };

  const show = (holder) => {
    const numbers = JSON.parse(holder.querySelector("script").textContent);
    const width = Math.max(280, holder.clientWidth);
    const made = numbers.kind === "stacked" ? stacked(numbers, width) : lines(numbers, width);

    const place = document.createElement("div");

    holder.querySelector("svg").replaceWith(place);
    plots.push({ holder, plot: new uPlot(made.options, made.data, place) });
  };

  document.querySelectorAll(".plot").forEach(show);
  addEventListener("resize", () => {
    for (const { holder, plot } of plots) {
      plot.setSize({ width: Math.max(280, holder.clientWidth), height: plot.height });
    }
  });
  dark.addEventListener("change", () => plots.forEach(({ plot }) => plot.redraw()));
})();
