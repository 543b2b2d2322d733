// SPDX-License-Identifier: MIT
// Opens a report in headless Chromium and looks at it: look.mjs PAGE [SCREENSHOT]
//
// No message on the console, no request to anywhere; every figure has a size and something drawn
// in it; no text of a figure leaves it; nothing is wider than the page; in both colour schemes, on
// a wide and on a narrow window. Prints "N passed, N failed".
import { chromium } from "playwright-core";
import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [page_file, screenshot] = process.argv.slice(2);
const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
  .find(existsSync);
let passed = 0;
let failed = 0;

const check = (good, what) => {
  good ? passed++ : failed++;
  if (!good) {
    console.log(`FAIL ${what}`);
  }
};

// Runs inside the page. Returns what is wrong, one text a fault.
const faults_of = () => {
  const faults = [];
  const shape = (element) => element.getBoundingClientRect();
  const figures = [...document.querySelectorAll("figure")];

  if (figures.length === 0) {
    faults.push("there is no figure");
  }
  for (const figure of figures) {
    const caption = figure.querySelector("figcaption").textContent;
    const svg = figure.querySelector("svg");
    const canvas = figure.querySelector("canvas");
    const drawn = svg ?? canvas;

    if (drawn === null) {
      faults.push(`${caption}: nothing is drawn`);
      continue;
    }
    const box = shape(drawn);
    if (box.width < 200 || box.height < 15) {
      faults.push(`${caption}: ${box.width} x ${box.height}`);
    }
    if (figure.classList.contains("plot") && canvas === null) {
      faults.push(`${caption}: is not live`);
    }
    if (canvas !== null) {
      const context = canvas.getContext("2d");
      const pixels = context.getImageData(0, 0, canvas.width, canvas.height).data;
      const colours = new Set();

      for (let i = 0; i < pixels.length; i += 4) {
        if (pixels[i + 3] > 200) {
          colours.add((pixels[i] << 16) | (pixels[i + 1] << 8) | pixels[i + 2]);
        }
      }
      if (colours.size < 3) {
        faults.push(`${caption}: only ${colours.size} colours are drawn`);
      }
    }
    if (svg !== null) {
      const texts = [...svg.querySelectorAll("text")];

      for (const text of texts) {
        const at = shape(text);

        if (at.left < box.left - 1 || at.right > box.right + 1 ||
            at.top < box.top - 1 || at.bottom > box.bottom + 1) {
          faults.push(`${caption}: '${text.textContent}' leaves the figure`);
        }
      }
      for (let i = 0; i < texts.length; i++) {
        for (let j = i + 1; j < texts.length; j++) {
          const a = shape(texts[i]);
          const b = shape(texts[j]);

          if (a.left < b.right - 1 && b.left < a.right - 1 &&
              a.top < b.bottom - 2 && b.top < a.bottom - 2) {
            faults.push(`${caption}: '${texts[i].textContent}' and '${texts[j].textContent}' overlap`);
          }
        }
      }
    }
  }
  if (document.documentElement.scrollWidth > document.documentElement.clientWidth) {
    faults.push(`the page is ${document.documentElement.scrollWidth} wide`);
  }
  for (const tile of document.querySelectorAll(".tile b")) {
    if (/nan|inf|undefined|null/i.test(tile.textContent)) {
      faults.push(`a tile says '${tile.textContent}'`);
    }
  }
  return faults;
};

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
for (const colorScheme of ["light", "dark"]) {
  for (const width of [1200, 420]) {
    const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
    const messages = [];
    const requests = [];
    const name = `${colorScheme}, ${width} wide`;

    page.on("console", (message) => messages.push(message.text()));
    page.on("pageerror", (error) => messages.push(error.message));
    page.on("request", (request) => requests.push(request.url()));
    await page.goto(pathToFileURL(page_file).href);
    check(messages.length === 0, `${name}: console: ${messages.join("; ")}`);
    check(requests.filter((url) => !url.startsWith("file:") && !url.startsWith("data:")).length === 0,
      `${name}: the page asks for ${requests.join(", ")}`);
    const faults = await page.evaluate(faults_of);
    check(faults.length === 0, `${name}: ${faults.join("; ")}`);
    const plot = page.locator(".plot .u-over").first();
    if (await plot.count() > 0) {
      await plot.hover();
      const told = await page.locator(".plot .u-value").first().textContent();
      check(/^\d+\.\d+$/.test(told.trim()), `${name}: the cursor tells '${told}'`);
    }
    if (screenshot !== undefined && width === 1200 && colorScheme === "light") {
      await page.screenshot({ path: screenshot, fullPage: true });
    }
    await page.close();
  }
}
await browser.close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
