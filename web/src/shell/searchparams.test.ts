import { describe, expect, it } from "vitest";
import { localPath, searchText } from "./searchparams";

describe("a text from the address", () => {
  it("is a text also where it looks like something else", () => {
    expect(searchText("Add a system")).toBe("Add a system");
    expect(searchText(123)).toBe("123");
    expect(searchText(true)).toBe("true");
    expect(searchText({ name: "Orders" })).toBe('{"name":"Orders"}');
    expect(searchText("")).toBeUndefined();
    expect(searchText(undefined)).toBeUndefined();
  });
});

describe("where to go after sign-in", () => {
  it("is on this site", () => {
    expect(localPath("/catalog?query=x")).toBe("/catalog?query=x");
    for (const elsewhere of ["//evil.example", "/\\evil.example", "https://evil.example", "catalog", 1, undefined]) {
      expect(localPath(elsewhere)).toBeUndefined();
    }
  });
});
