import { expect, test } from "vitest";
import { needsDocument } from "./scripting";

test("The script editor has documents of its own, and everything else shares one", () => {
  expect(needsDocument("/scripts", "/chat")).toBe(true);
  expect(needsDocument("/chat", "/scripts")).toBe(true);
  expect(needsDocument("/scripts", "/scripts")).toBe(false);
  expect(needsDocument("/catalog/systems", "/chat")).toBe(false);
  expect(needsDocument("/health/editor", "/health")).toBe(true);
  expect(needsDocument("/health", "/health/editor")).toBe(true);
  expect(needsDocument("/scripts", "/health/editor")).toBe(false);
  expect(needsDocument("/agents/editor", "/agents")).toBe(true);
});
