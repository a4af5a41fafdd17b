import { expect, test } from "vitest";
import { needsDocument } from "./scripting";

test("The script editor has a document of its own, and everything else shares one", () => {
  expect(needsDocument("/scripts", "/chat")).toBe(true);
  expect(needsDocument("/chat", "/scripts")).toBe(true);
  expect(needsDocument("/scripts", "/scripts")).toBe(false);
  expect(needsDocument("/catalog/systems", "/chat")).toBe(false);
});
