import { expect, it } from "vitest";
import { ranked, score, type Entry } from "./rank";

const entry = (label: string, words?: string): Entry => ({ key: label, label, words });
const labels = (text: string, entries: Entry[], recent: string[] = []) =>
  ranked(entries, text, recent).map(({ label }) => label);

const some = [
  entry("Proposals", "cards approve"),
  entry("Audit log", "who did what"),
  entry("Applications", "api tokens"),
  entry("Apply the plan"),
];

it("finds by the beginnings of words, in any order, and by other words for it", () => {
  expect(labels("log aud", some)).toEqual(["Audit log"]);
  expect(labels("token", some)).toEqual(["Applications"]);
  expect(labels("APPL", some)).toEqual(["Applications", "Apply the plan"]);
  expect(labels("xyz", some)).toEqual([]);
  expect(labels("proposals xyz", some)).toEqual([]);
});

it("puts what is called so before what only holds the letters", () => {
  expect(labels("plan", [entry("Explanations"), entry("Plan"), entry("Planning")])).toEqual([
    "Plan",
    "Planning",
    "Explanations",
  ]);
});

it("forgives one slip in a longer word and none in a short one", () => {
  for (const slip of ["propsals", "porposals", "propposals", "proqosals", "propsa"]) {
    expect([slip, score(some[0]!, slip) > 0]).toEqual([slip, true]);
  }
  expect(score(some[1]!, "lag")).toBe(0);
  expect(score(some[0]!, "prxxosals")).toBe(0);
});

it("shows what was chosen last before its equals, and everything for no text", () => {
  expect(labels("", some, ["Applications"])[0]).toBe("Applications");
  expect(labels("", some)).toHaveLength(4);
  expect(labels("appl", some, ["Apply the plan"])).toEqual(["Apply the plan", "Applications"]);
  expect(labels("apply", some, ["Applications"])[0]).toBe("Apply the plan");
});
