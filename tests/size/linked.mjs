// SPDX-License-Identifier: MIT
// Bytes of code and of RAM that a linker map counts for the objects of a folder: linked.mjs MAP FOLDER
//
// Prints "TEXT RAM". Initialised data counts for both: it lies in flash and is copied. Sections that
// --gc-sections removed stand in the map in front of the memory map, which is where reading begins.
import { readFileSync } from "node:fs";

const [map, folder] = process.argv.slice(2);
const lines = readFileSync(map, "utf8").split("\n");
const begin = lines.findIndex((line) => line.startsWith("Linker script and memory map"));
let section = "";
let text = 0;
let ram = 0;

for (const line of lines.slice(begin + 1)) {
  // " .text.name  0x10000000  0x2c  object", the name on a line of its own where it is long.
  const match = line.match(/^ (\.\S+)?\s*(?:0x[0-9a-f]+\s+0x([0-9a-f]+)\s+(\S+))?$/);

  if (match === null) {
    continue;
  }
  section = match[1] ?? section;
  if (match[3] === undefined || !match[3].startsWith(`${folder}/`)) {
    continue;
  }
  const bytes = parseInt(match[2], 16);
  text += /^\.(text|rodata|data)/.test(section) ? bytes : 0;
  ram += /^\.(data|bss)|^COMMON/.test(section) ? bytes : 0;
}
console.log(`${text} ${ram}`);
