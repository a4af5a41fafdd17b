import { expect, it } from "vitest";
import { piecesOf } from "./pieces";

const rows = (count: number) => Array.from({ length: count }, (_, n) => `item number ${n} of some`);
const itself = (row: string) => row;

it("cuts what is long between its parts, none of which is lost", () => {
  const all = rows(300);
  const pieces = piecesOf(all, itself);
  expect(pieces.length).toBeGreaterThan(2);
  expect(pieces.every(({ source }) => source.length < 2_100)).toBe(true);
  expect(pieces.flatMap(({ parts }) => parts)).toEqual(all);
  expect(piecesOf([], itself)).toEqual([]);
  expect(piecesOf(["x".repeat(9_000), "y"], itself)).toHaveLength(2);
});

it("leaves the pieces before the last one as they are while more comes", () => {
  let before: string[] = [];
  for (let count = 1; count <= 300; count++) {
    const sources = piecesOf(rows(count), itself).map(({ source }) => source);
    expect(sources.slice(0, before.length)).toEqual(before);
    before = sources.slice(0, -1);
  }
  expect(before.length).toBeGreaterThan(1);
});
