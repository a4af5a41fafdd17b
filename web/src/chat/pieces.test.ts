import { expect, it } from "vitest";
import { piecesOf } from "./pieces";

const rows = (count: number, row: (n: number) => string) => Array.from({ length: count }, (_, n) => row(n)).join("\n");
const item = (n: number) => `- item ${n}`;
const head = "| name | value |\n|---|:-:|\n";

it("cuts a long table between its rows, each piece with the head", () => {
  const table = head + rows(300, (n) => `| system ${n} | ${n} |`);
  const pieces = piecesOf(`${table}\n\n`);
  expect(pieces?.kind).toBe("table");
  expect(pieces?.texts.length).toBeGreaterThan(2);
  expect(pieces?.texts.every((text) => text.startsWith(head) && text.length < 2_200)).toBe(true);
  expect(head + pieces?.texts.map((text) => text.slice(head.length)).join("\n")).toBe(table);
});

it("cuts a long list between its items", () => {
  const list = rows(200, (n) => `- item ${n}\n  - inner\n\n  more`);
  const pieces = piecesOf(list);
  expect(pieces?.kind).toBe("list");
  expect(pieces?.texts.every((text) => text.startsWith("- item "))).toBe(true);
  expect(pieces?.texts.join("\n\n").match(/^- item \d+$/gm)).toHaveLength(200);
});

it("leaves the pieces before the last one as they are while more comes", () => {
  for (const text of [
    head + rows(300, (n) => `| system ${n} | ${n} |`),
    rows(300, (n) => `${n + 1}. item number ${n}`),
  ]) {
    let before: string[] = [];
    for (let length = 4_000; length <= text.length; length += 7) {
      const { texts = [] } = piecesOf(text.slice(0, length)) ?? {};
      expect(texts.slice(0, before.length)).toEqual(before);
      before = texts.slice(0, -1);
    }
    expect(before.length).toBeGreaterThan(1);
  }
});

it("leaves alone what is short, or something else", () => {
  expect(piecesOf(rows(20, item))).toBeNull();
  expect(piecesOf("word ".repeat(2_000))).toBeNull();
  expect(piecesOf(`\`\`\`\n${rows(500, item)}`)).toBeNull();
  expect(piecesOf(`- - -\n${rows(500, item)}`)).toBeNull();
  expect(piecesOf(`${rows(500, item)}\n$$\nx`)).toBeNull();
  expect(piecesOf(`${rows(500, item)}\n\nIt says so[^1].`)).toBeNull();
  expect(piecesOf(`| name |\nno table\n${rows(500, item)}`)).toBeNull();
});
