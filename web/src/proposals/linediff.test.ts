import { describe, expect, it } from "vitest";
import { lineDiff } from "./linediff";

const marks = { same: " ", removed: "-", added: "+" } as const;

function drawn(before: string, after: string): string[] {
  return lineDiff(before, after).map((line) => marks[line.kind] + line.text);
}

function long(word: string): string {
  return Array.from({ length: 1_500 }, (_, index) => `${word} ${index}`).join("\n");
}

describe("lineDiff", () => {
  it("keeps common lines and puts a removal before its replacement", () => {
    expect(drawn("a\nb\nc", "a\nx\nc\nd")).toEqual([" a", "-b", "+x", " c", "+d"]);
  });

  it("shows equal texts unchanged", () => {
    expect(drawn("a\nb", "a\nb")).toEqual([" a", " b"]);
  });

  it("finds a moved line once", () => {
    expect(drawn("a\nb", "b\na")).toEqual(["-a", " b", "+a"]);
  });

  it("replaces texts as a whole when they have next to nothing in common", () => {
    const lines = lineDiff(long("old"), long("new"));
    expect(lines).toHaveLength(3_000);
    expect(lines.findIndex(({ kind }) => kind === "added")).toBe(1_500);
  });

  it("shows one changed line of a long text", () => {
    const lines = Array.from({ length: 5_000 }, (_, index) => `line ${index}`);
    const changed = lines.with(2_500, "another line");
    expect(lineDiff(lines.join("\n"), changed.join("\n")).filter(({ kind }) => kind !== "same")).toEqual([
      { kind: "removed", text: "line 2500" },
      { kind: "added", text: "another line" },
    ]);
  });

  it("rebuilds both texts", () => {
    const before = "one\ntwo\nthree\nfour";
    const after = "zero\ntwo\nfour\nfive";
    const lines = lineDiff(before, after);
    const text = (kind: "removed" | "added") =>
      lines
        .filter((line) => line.kind === "same" || line.kind === kind)
        .map((line) => line.text)
        .join("\n");
    expect(text("removed")).toBe(before);
    expect(text("added")).toBe(after);
  });
});
