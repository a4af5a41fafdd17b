import { expect, it } from "vitest";
import { offsetOf, runsInWords, sawOf, successRate, took } from "./words";

const run = (status: string) => ({ id: status, status, createdAt: "2026-01-01T00:00:00Z" });

it("counts runs that came to an end, and rounds no failure away", () => {
  expect(successRate([])).toBeUndefined();
  expect(successRate([run("skipped"), run("running"), run("cancelled")])).toBeUndefined();
  expect(successRate([run("success"), run("success"), run("failed"), run("skipped")])).toBe("66 % succeeded");
  expect(successRate([run("success"), run("queued")])).toBe("100 % succeeded");
});

it("says in words what the marks show", () => {
  expect(runsInWords([])).toBe("No runs yet");
  expect(runsInWords([run("failed")])).toBe("Last run: Failed");
  expect(runsInWords([run("running"), run("success")])).toBe("Last 2 runs, newest first: Running, Succeeded");
  expect(runsInWords([run("invented")])).toBe("Last run: invented");
});

it("reads what a condition saw out of any output", () => {
  expect(sawOf({ saw: { "health.system.status": "degraded", "var.n": 3 } })).toEqual([
    ["health.system.status", '"degraded"'],
    ["var.n", "3"],
  ]);
  for (const output of [undefined, null, 1, [], { saw: null }, { saw: "x" }]) expect(sawOf(output)).toEqual([]);
});

it("finds a place in a text", () => {
  expect(offsetOf("name: a\nmode: b", 1, 1)).toBe(0);
  expect(offsetOf("name: a\nmode: b", 2, 7)).toBe(14);
  expect(offsetOf("name: a", 9, 9)).toBe(7);
});

it("says how long a step took, also one of no time", () => {
  expect(took("2026-01-01T00:00:00Z", "2026-01-01T00:00:02Z")).toBe("2 s");
  expect(took("2026-01-01T00:00:00Z", "2026-01-01T02:05:00Z")).toBe("2 h 5 min");
  expect(took("2026-01-01T00:00:01Z", "2026-01-01T00:00:00Z")).toBe("0 ms");
});
