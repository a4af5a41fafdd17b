/** A long table or list in pieces that can be drawn one after the other: what is written into one leaves the others as they are. */
export interface Pieces {
  kind: "table" | "list";
  /** Each is Markdown of its own: a table with the same head, or a list. */
  texts: string[];
}

/** A shorter block is drawn at once. */
const shortest = 4_000;
/** A piece has as many characters, and what is left of its last row or item. */
const pieceCharacters = 2_000;

/** Null for a block that is not long, or is something else. */
export function piecesOf(block: string): Pieces | null {
  if (block.length < shortest) return null;
  // Of these the library makes one block with whatever comes after.
  if (block.includes("$$") || block.includes("[^")) return null;
  return rowsOf(block) ?? itemsOf(block);
}

const delimiters = /^ {0,3}\|?(?:\s*:?-+:?\s*\|)+(?:\s*:?-+:?\s*)?$/;

function rowsOf(block: string): Pieces | null {
  const [head = "", under = "", ...rows] = block.trimEnd().split("\n");
  if (!head.includes("|") || !delimiters.test(under.trimEnd()) || rows.some((row) => row.trim() === "")) return null;
  const titles = `${head}\n${under}\n`;
  return { kind: "table", texts: grouped(rows, "\n").map((text) => titles + text) };
}

/** What an item begins with whose list begins at the edge. */
const marker = /^(?:([-+*])|\d{1,9}([.)]))(?: |\t|$)/;
const rule = /^(?:(?:- *){3,}|(?:\* *){3,})$/;
const fence = /^\s*(`{3,}|~{3,})/;

/** By which mark an item begins here; undefined where none does. */
function kindOf(row: string): string | undefined {
  const found = rule.test(row) ? null : marker.exec(row);
  return found?.[1] ?? found?.[2];
}

function itemsOf(block: string): Pieces | null {
  const rows = block.trimEnd().split("\n");
  const kind = kindOf(rows[0] ?? "");
  if (kind === undefined) return null;
  const items: string[] = [];
  let open = "";
  let [blank, apart] = [false, false];
  for (const row of rows) {
    const begins = kindOf(row) === kind;
    if (begins) open = "";
    const mark = fence.exec(row)?.[1] ?? "";
    if (open === "" || begins) {
      // Something stands after an empty line: then all items are paragraphs.
      apart ||= blank && row.trim() !== "";
      blank = row.trim() === "";
      open = mark;
    } else if (mark.startsWith(open) && row.trim() === mark) open = "";
    if (begins) items.push(row);
    else items[items.length - 1] += `\n${row}`;
  }
  return { kind: "list", texts: grouped(apart ? items.map((item) => item.trimEnd()) : items, apart ? "\n\n" : "\n") };
}

/** Joins what belongs together, from the beginning: what comes at the end changes the last one. */
function grouped(all: string[], between: string): string[] {
  const groups: string[] = [];
  for (const [number, one] of all.entries()) {
    const last = groups.at(-1);
    if (number > 0 && last !== undefined && last.length < pieceCharacters)
      groups[groups.length - 1] = last + between + one;
    else groups.push(one);
  }
  return groups;
}
