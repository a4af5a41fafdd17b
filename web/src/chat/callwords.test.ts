import { describe, expect, it } from "vitest";
import { namesIn, saidOf } from "./callwords";
import type { ToolCall } from "./outline";

const id = "0199aa00-0000-7000-8000-000000000001";
const call = (name: string, input: unknown, output?: unknown): ToolCall => ({
  id: "1",
  name,
  state: "done",
  input,
  output,
});

const names = namesIn([call("catalog.listSystems", {}, { systems: [{ id, name: "Payments API" }, { id: 3 }] })]);

describe("what a call was made with", () => {
  it("is said with names in the place of ids, and without ids that have none", () => {
    expect(saidOf(call("catalog.getSystem", { id }), names)).toBe("Payments API");
    expect(saidOf(call("healthcheck.list", { systemId: id, limit: 5 }), names)).toBe("system Payments API");
    expect(saidOf(call("catalog.getSystem", { id }), new Map())).toBe("");
    expect(saidOf(call("x.get", { systemIds: [id, "0199aa00-0000-7000-8000-000000000002"] }), names)).toBe("");
  });

  it("is what was looked for, in quotes, and what narrows it", () => {
    expect(saidOf(call("ai.searchDocs", { query: "auto\n mode ", limit: 3 }), names)).toBe("“auto mode”");
    expect(saidOf(call("catalog.listSystems", { tags: ["a", "b"], private: true }), names)).toBe(
      "tags a and b, private",
    );
    expect(saidOf(call("ai.getDoc", { slug: "concepts/plans" }, { title: "Plans" }), names)).toBe("Plans");
  });

  it("is short, whatever the model wrote", () => {
    const said = saidOf(call("x.do", { a: "y".repeat(5_000), b: { c: 1 }, d: 1, e: 2, f: 3 }), names);
    expect(said.length).toBeLessThan(120);
    expect(saidOf(call("x.do", "no object"), names)).toBe("");
    expect(saidOf(call("x.do", null), names)).toBe("");
  });
});

it("names are looked for in a part of a result that has no end", () => {
  const endless = { list: Array.from({ length: 50_000 }, (_, n) => ({ id: `i${n}`, name: `n${n}` })) };
  expect(namesIn([call("x.list", {}, endless)]).size).toBeLessThan(20_001);
});
