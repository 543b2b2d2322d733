// SPDX-License-Identifier: MIT
// The deepest stack below each function the application calls: stack.mjs BUDGET SOURCE... FOLDER
//
// GCC's call graphs (-fcallgraph-info=su) give the bytes of each frame and who calls whom. A call
// through a pointer goes to every function that an initialiser puts into a member of that name
// anywhere in the sources; members of the application's own callbacks count as nothing, and the
// bound is what the stack and the driver need on top of them. A cycle is recursion and a fault, as
// is a frame of dynamic size, a pointer nobody fills, and an entry that needs more than its budget.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

const [budget_file, ...rest] = process.argv.slice(2);
const folder = rest.pop();
const sources = rest;

// Callbacks of the application: what they need is theirs. So are the port's, behind src/bus.
const foreign = new Set(["receive", "event", "accept", "changed", "error", "result", "done",
  "filter", "read", "feed", "notice", "log", "found", "request_done"]);
const is_port = (file) => file.includes("/src/bus/");
// The seam of frames is called from the radio; within the stack members of the same name are those
// of its sockets.
const is_seam = (type) => type === "cor_frame_source_ops";
const is_stack = (file) => file.includes("/src/net/");

const text_of = new Map();
const lines_of = (file) => {
  if (!text_of.has(file)) {
    text_of.set(file, readFileSync(file, "utf8").split("\n"));
  }
  return text_of.get(file);
};

const frames = new Map(); // title -> bytes
const edges = new Map(); // title -> [{to, at}]
const faults = [];
const plain = (title) => title.replace(/^.*:/, "");

for (const name of readdirSync(folder).filter((each) => each.endsWith(".ci"))) {
  for (const line of readFileSync(join(folder, name), "utf8").split("\n")) {
    const node = line.match(/^node: \{ title: "([^"]+)" label: "[^"]*?(\d+) bytes \((\w+)[^)]*\)/);
    const edge = line.match(
      /^edge: \{ sourcename: "([^"]+)" targetname: "([^"]+)"(?: label: "([^"]+)")?/);

    if (node !== null) {
      frames.set(node[1], Number(node[2]));
      if (node[3] !== "static" ) {
        faults.push(`${plain(node[1])}: the size of its frame is ${node[3]}`);
      }
    } else if (edge !== null) {
      edges.set(edge[1], [...(edges.get(edge[1]) ?? []), { to: edge[2], at: edge[3] }]);
    }
  }
}

// member -> functions that are put there, and functions in tables without member names.
const by_name = new Map();
for (const title of frames.keys()) {
  by_name.set(plain(title), [...(by_name.get(plain(title)) ?? []), title]);
}
const fills = new Map(); // member -> [{title, type}]
for (const source of sources) {
  let type = "";

  for (const line of lines_of(source)) {
    type = line.match(/struct (\w+) \w+(?:\[\w*\])? = \{/)?.[1] ?? (/^};/.test(line) ? "" : type);
    // A member in an initialiser or an assignment, or a step of a script by its macro.
    for (const match of line.matchAll(/(?:\.|->)(\w+) = &?(\w+)[,;\s}]|\bCALL\((\w+),/g)) {
      const member = match[1] ?? "call";

      for (const title of by_name.get(match[2] ?? match[3]) ?? []) {
        fills.set(member, [...(fills.get(member) ?? []), { title, type }]);
      }
    }
  }
}

const targets = ({ to, at }) => {
  if (to !== "__indirect_call") {
    return [to];
  }
  const [file, line, column] = at.split(":");
  const text = lines_of(file)[line - 1].slice(column - 1);
  const member = text.match(/(?:->|\.|^\(?\*?|\]\.)(\w+)\)?(?:\[[^\]]*\])?\(/)?.[1] ??
    lines_of(file)[line - 1].match(/(\w+)(?:\[[^\]]*\])?\(/)?.[1];

  if (foreign.has(member) || is_port(file)) {
    return [];
  }
  const found = (fills.get(member) ?? []).filter(({ type }) => !(is_seam(type) && is_stack(file)));
  if (found.length === 0) {
    faults.push(`${file}:${line}: nobody fills the pointer '${member}'`);
  }
  return [...new Set(found.map(({ title }) => title))];
};

const depths = new Map();
const open = [];
const depth_of = (title) => {
  if (depths.has(title)) {
    return depths.get(title);
  }
  if (open.includes(title)) {
    faults.push(`recursion: ${[...open.slice(open.indexOf(title)), title].map(plain).join(" > ")}`);
    return { bytes: 0, way: [] };
  }
  open.push(title);
  let deepest = { bytes: 0, way: [] };
  for (const edge of edges.get(title) ?? []) {
    for (const target of targets(edge)) {
      const below = depth_of(target);

      if (below.bytes > deepest.bytes) {
        deepest = below;
      }
    }
  }
  open.pop();
  const depth = { bytes: (frames.get(title) ?? 0) + deepest.bytes, way: [title, ...deepest.way] };
  depths.set(title, depth);
  return depth;
};

let passed = 0;
let failed = 0;
for (const line of readFileSync(budget_file, "utf8").split("\n")) {
  const match = line.match(/^stack (\w+) (\d+)$/);

  if (match === null) {
    continue;
  }
  const [title] = by_name.get(match[1]) ?? [];
  if (title === undefined) {
    console.log(`FAIL ${match[1]} is not there`);
    failed++;
    continue;
  }
  const { bytes, way } = depth_of(title);
  const good = bytes <= Number(match[2]);
  console.log(`${good ? "ok  " : "FAIL"} ${match[1]} needs ${bytes} of ${match[2]} bytes of stack: ` +
    way.map(plain).join(" > "));
  good ? passed++ : failed++;
}
for (const title of frames.keys()) {
  depth_of(title); // recursion anywhere
}
for (const fault of new Set(faults)) {
  console.log(`FAIL ${fault}`);
  failed++;
}
if (failed === 0 && faults.length === 0) {
  console.log(`ok   no recursion and no frame of dynamic size in ${frames.size} functions`);
  passed++;
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
