// Runs after a build: adds the pictures of the documentation, compresses the files for the server, writes the parts of
// the start pages into their documents, and prints how much a first visit loads.
// With --check it only prints that, and fails over budget.
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { brotliCompressSync, constants } from "node:zlib";

const dist = new URL("dist/", import.meta.url);
const assets = new URL("assets/", dist);

/**
 * Start pages, their parts beside the app, and the budget of a first visit: bytes over the wire, and files, each of
 * which costs a round trip. A budget may shrink and must not grow. The document lists the parts for public/first.js,
 * which loads those of the page at its address beside the app, and not after it. "any" stands for the names of records.
 */
const pages = [
  { page: "sign-in", document: "sign-in.html", parts: [], most: 82_000, files: 4 },
  { page: "chat", at: ["index", "chat"], parts: ["chat"], most: 145_000, files: 6 },
  {
    page: "a chat",
    at: ["chat/any"],
    parts: ["chat", "conversation", "MarkdownRenderer"],
    most: 201_500,
    files: 10,
  },
  { page: "proposals", at: ["proposals"], parts: ["ProposalsPage"], most: 247_000, files: 18 },
  { page: "health", at: ["health", "health/systems"], parts: ["board", "BoardPage"], most: 224_000, files: 10 },
  {
    page: "systems",
    at: ["catalog", "catalog/systems"],
    parts: ["catalog", "SystemsPage"],
    most: 220_000,
    files: 12,
  },
  { page: "a system", at: ["catalog/systems/any"], parts: ["catalog", "SystemPage"], most: 268_000, files: 27 },
  { page: "scripts, without the editor", at: ["scripts"], parts: ["scripts"], most: 146_000, files: 7 },
  { page: "agents", at: ["agents"], parts: ["AgentsPage"], most: 220_000, files: 13 },
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

/** The longest first: what is short comes beside it. */
const ordered = (all) => all.toSorted((a, b) => sizes.get(b) - sizes.get(a));

/** What pages need beside the app, by address. */
const parts = {};
let over = false;
for (const page of pages) {
  const begin = entry(page.document ?? "index.html");
  const own = page.parts.map((part) => {
    const found = names.find((name) => name.startsWith(`${part}-`) && name.endsWith(".js"));
    if (!found)
      throw new Error(`The build has no part called ${part}: say in assets.mjs what the page ${page.page} loads.`);
    return found;
  });
  const all = needed([...begin, ...own]);
  const more = [...all].filter((name) => !needed(begin).has(name));
  for (const at of page.at ?? []) parts[at] = ordered(more).join(" ");
  const bytes = [...all].reduce((sum, name) => sum + (sizes.get(name) ?? 0), 0);
  const { most = Infinity, files = Infinity } = page;
  const tooMuch = bytes > most || all.size > files;
  over ||= tooMuch;
  const bounds = most < Infinity ? `, of ${kilo(most)} kB in ${files}` : "";
  console.log(`${tooMuch ? "TOO MUCH" : "ok"}: ${page.page} loads ${kilo(bytes)} kB in ${all.size} files${bounds}`);
}
if (check && over) process.exit(1);
if (!check) {
  const index = new URL("index.html", dist);
  const place = '<meta name="parts" content="{}" />';
  const html = readFileSync(index, "utf8");
  if (!html.includes(place)) throw new Error(`The document has no place for the parts of pages: ${place}`);
  writeFileSync(index, html.replace(place, `<meta name="parts" content='${JSON.stringify(parts)}' />`));
}

function kilo(bytes) {
  return (bytes / 1_000).toFixed(1);
}
