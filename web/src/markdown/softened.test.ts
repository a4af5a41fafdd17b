import { expect, it } from "vitest";
import { softened } from "./softened";

it("has long names go on after a mark, and leaves words and what is said as they are", () => {
  expect(softened("plain words that are many, but none of them long")).toHaveLength(1);
  expect(softened("catalog.createSystemOfManyGroups")).toEqual([
    "catalog.",
    "create",
    "System",
    "Of",
    "Many",
    "Groups",
  ]);
  expect(softened("see https://example.org/a/b?c=d now").join("")).toBe("see https://example.org/a/b?c=d now");
  expect(softened("see https://example.org/a/b?c=d now").length).toBeGreaterThan(3);
  expect(softened("x".repeat(60))).toHaveLength(1);
});
