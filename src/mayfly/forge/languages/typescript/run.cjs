// Answer questions with one program that was TypeScript: each input in, each output or error out, all as JSON.
// node run.cjs ANSWERS < {"javascript", "entry", "kind", "spread", "inputs"}; the wall around this process is what holds.
"use strict";
const fs = require("fs");
const vm = require("vm");
const { javascript, entry, kind, spread, inputs } = JSON.parse(fs.readFileSync(0, "utf8"));
const context = vm.createContext(Object.create(null), { codeGeneration: { strings: false, wasm: false } });
// Inputs are made and outputs are written inside, so that no object of the host's is ever handed in.
const inside = (code) => vm.runInContext(code, context, { filename: "program.js" });

const answers = [];
const failed = (error) => {
  let name = "Error", message = "", stack = "";
  try { name = String(error.name || "Error"); message = String(error.message); stack = String(error.stack); } catch {}
  const place = /program\.js:(\d+)/.exec(stack);
  return { error: [name], message: message.slice(0, 500), line: place ? Number(place[1]) : null };
};
const WRITE = `(value) => {
  const plain = (one, depth) => {
    if (depth > 100) throw new TypeError("the result is nested more than 100 deep");
    if (one === null || typeof one === "string" || typeof one === "boolean") return one;
    if (typeof one === "number") {
      if (!Number.isFinite(one)) throw new TypeError(one + " is not JSON");
      return one;
    }
    if (Array.isArray(one)) return Array.from(one, (item) => plain(item, depth + 1));
    if (one === undefined || typeof one !== "object") throw new TypeError(typeof one + " is not JSON");
    if (one instanceof Map || one instanceof Set || one instanceof Date) throw new TypeError("a " + one.constructor.name + " is not JSON");
    if (typeof one[Symbol.iterator] === "function") return Array.from(one, (item) => plain(item, depth + 1));
    const made = {};
    for (const key of Object.keys(one)) if (one[key] !== undefined) made[key] = plain(one[key], depth + 1);
    return made;
  };
  return JSON.stringify(plain(value, 0));
}`;
let call = null, write = null;
try {
  inside("const exports = {}; const module = { exports };\n".replace(/\n/g, "") + javascript);
  write = inside(WRITE);
  const target = kind === "class" ? `((...given) => new exports[${JSON.stringify(entry)}]().invoke(...given))` : `exports[${JSON.stringify(entry)}]`;
  call = inside(`((text) => { const given = JSON.parse(text); return ${spread ? `${target}(...given)` : `${target}(given)`}; })`);
} catch (error) {
  for (const _ of inputs) answers.push(failed(error));
}
(async () => {
  for (const input of call ? inputs : []) {
    try {
      answers.push({ ok: JSON.parse(write(await call(JSON.stringify(input)))) });
    } catch (error) {
      answers.push(failed(error));
    }
  }
  fs.writeFileSync(process.argv[2], JSON.stringify(answers));
})();
