import { expect, test } from "vitest";
import { linesOf, rangeIn } from "./range";

const lines = linesOf("const a = 1;\r\nthrow $err0r;\n");

test("A range stays within the text, and is at least one character", () => {
  expect(rangeIn(lines, { line: 1, column: 7 }, { line: 2, column: 3 })).toEqual({
    line: 1,
    column: 7,
    endLine: 2,
    endColumn: 3,
  });
  expect(rangeIn(lines, { line: 9, column: 9 }, { line: 8, column: 1 })).toEqual({
    line: 3,
    column: 1,
    endLine: 3,
    endColumn: 2,
  });
  expect(rangeIn(lines, { line: 0, column: 0 }, { line: 0, column: 0 })).toMatchObject({ line: 1, endColumn: 2 });
});

test("Without an end it is the word that stands there", () => {
  expect(rangeIn(lines, { line: 2, column: 7 })).toEqual({ line: 2, column: 7, endLine: 2, endColumn: 13 });
  expect(rangeIn(lines, { line: 1, column: 12 })).toMatchObject({ endColumn: 13 });
  expect(rangeIn(lines, { line: 2, column: 99 })).toMatchObject({ column: 14, endColumn: 15 });
});
