import { expect, it } from "vitest";
import { slugOf } from "./slug";

it("A name suggests a short name", () => {
  expect(["Order desk (EU)", "  Übung 3 ", "***", "a".repeat(80)].map(slugOf)).toEqual([
    "order-desk-eu",
    "ubung-3",
    "",
    "a".repeat(64),
  ]);
});
