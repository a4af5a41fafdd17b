import { describe, expect, it } from "vitest";
import { formatMetadata, parseList, parseMetadata } from "./metadata";

describe("metadata", () => {
  it("survives being shown and read again", () => {
    const metadata = { tier: 1, owner: "Ada = boss", flags: ["a"], note: "" };
    expect(parseMetadata(formatMetadata(metadata), metadata)).toEqual(metadata);
  });

  it("reads what is typed as text and skips empty lines", () => {
    expect(parseMetadata("tier = 2\n\n  repo=git.example.com/x \nalone", { tier: 1 })).toEqual({
      tier: "2",
      repo: "git.example.com/x",
      alone: "",
    });
  });

  it("shows nothing for no metadata", () => expect(formatMetadata(null)).toBe(""));
});

describe("parseList", () => {
  it("takes each entry once and none empty", () => {
    expect(parseList(" a, b ,,a\nc")).toEqual(["a", "b", "c"]);
  });
});
