import { describe, expect, it } from "vitest";
import { formatMetadata, metadataIssue, metadataSchema, parseList, parseMetadata } from "./metadata";

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

  it.each([
    ["tier = 1\n\nrepo =", undefined],
    ["", undefined],
    ["tier = 1\nalone", "Line 2 has no “=”. Write it as: name = value."],
    ["\n= 1", "Line 2 has no name before its “=”."],
    ["tier = 1\ntier=2", "Line 2 repeats “tier”."],
  ])("%j is refused for the line that is wrong", (text, issue) => {
    expect(metadataIssue(text)).toBe(issue);
    expect(metadataSchema(null).safeParse(text).error?.issues[0]?.message).toBe(issue);
  });

  it("shows nothing for no metadata", () => expect(formatMetadata(null)).toBe(""));
});

describe("parseList", () => {
  it("takes each entry once and none empty", () => {
    expect(parseList(" a, b ,,a\nc")).toEqual(["a", "b", "c"]);
  });
});
