// After a build: adds the pictures of the documentation, compresses what was built, for the server to serve as it is, and says how much a first
// visit loads.
// With --check it only says so, and fails when that is more than it may be.
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { brotliCompressSync, constants } from "node:zlib";

const dist = new URL("dist/", import.meta.url);
const assets = new URL("assets/", dist);

/** What the first visit of a page loads at most, in bytes over the wire. It may become less, and not more. */
const budgets = [
  { page: "sign-in", document: "sign-in.html", parts: [], most: 84_400 },
  { page: "chat", parts: ["AppShell", "ChatLayout", "DraftPanel"], most: 154_700 },
  { page: "scripts, without the editor", parts: ["AppShell", "ScriptsPage"], most: 151_800 },
];

/** The best compression of a megabyte takes seconds, and saves little. */
const largest = 400_000;

function compress(bytes) {
  const quality = bytes.length > largest ? 9 : constants.BROTLI_MAX_QUALITY;
  return brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
  });
}

const check = process.argv.includes("--check");
// The pictures of the documentation, for its pages in the app.
if (!check) cpSync(new URL("../docs/images/", import.meta.url), new URL("manual/", dist), { recursive: true });
const names = readdirSync(assets).filter((name) => /\.(js|css|svg)$/.test(name));
const sizes = new Map();
for (const name of names) {
  if (check) {
    sizes.set(name, readFileSync(new URL(`${name}.br`, assets)).length);
    continue;
  }
  const compressed = compress(readFileSync(new URL(name, assets)));
  writeFileSync(new URL(`${name}.br`, assets), compressed);
  sizes.set(name, compressed.length);
}

const text = (name) => readFileSync(new URL(name, assets), "utf8");
const imported = (name) => [...text(name).matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g)].map(([, other]) => other);

/** The files that are loaded before one of these runs. */
function needed(begin) {
  const all = new Set();
  const add = (name) => {
    if (all.has(name)) return;
    all.add(name);
    if (name.endsWith(".js")) for (const other of imported(name)) add(other);
  };
  for (const name of begin) add(name);
  return all;
}

/** What a document names. */
const entry = (document) =>
  [...readFileSync(new URL(document, dist), "utf8").matchAll(/assets\/([^"]+\.(?:js|css))"/g)].map(([, name]) => name);
let over = false;
for (const { page, document = "index.html", parts, most } of budgets) {
  const own = parts.map((part) => {
    const found = names.find((name) => name.startsWith(`${part}-`) && name.endsWith(".js"));
    if (!found) throw new Error(`The build has no part called ${part}: say in assets.mjs what the page ${page} loads.`);
    return found;
  });
  const bytes = [...needed([...entry(document), ...own])].reduce((sum, name) => sum + (sizes.get(name) ?? 0), 0);
  over ||= bytes > most;
  console.log(`${bytes > most ? "TOO MUCH" : "ok"}: ${page} loads ${kilo(bytes)} of ${kilo(most)} kB`);
}
if (check && over) process.exit(1);

function kilo(bytes) {
  return (bytes / 1_000).toFixed(1);
}
