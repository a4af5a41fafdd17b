import { describe, expect, it } from "vitest";
import { rangeOf, valueIn } from "./source";

const source = 'a: 1\nb: "é😀pass"\n';
const secret = { name: "B", line: 2, column: 4, length: 7, monitors: [], exists: false };

describe("the text of an import", () => {
  it("has the value of a secret where the server says", () => {
    expect(valueIn(source, secret)).toBe("é😀pass");
    expect(valueIn(source, { ...secret, length: 0 })).toBe("");
    expect(valueIn(source, { ...secret, line: 9 })).toBe("");
  });

  it("has the range of each line", () => {
    expect(source.slice(...rangeOf(source, 2))).toBe('b: "é😀pass"');
    expect(source.slice(...rangeOf(source, 1))).toBe("a: 1");
  });
});
