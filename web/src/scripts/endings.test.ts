import { describe, expect, test } from "vitest";
import type { ScriptOutcome } from "../api/scripts";
import { endingOf, endings, errorText, labelOf, sentence, type Ending } from "./endings";
import { quietOutcome as outcome } from "./fixture";

const frame = { function: "f", line: 1, column: 2 };
const failed = (name: string, message: string, stack = [] as (typeof frame)[]) => ({ error: { name, message, stack } });

// Server answers for each way that a run can end, by TypeScript and by shell.
const answers: [ending: Ending | null, label: string, change: Partial<ScriptOutcome>][] = [
  [null, "", {}],
  [null, "", { limitsHit: ["output"] }],
  [null, "", { exitCode: 3, stderr: "trouble" }],
  [
    "timeout",
    "Stopped after 10 s",
    {
      timedOut: true,
      limitsHit: ["timeout"],
      durationMs: 10_004,
      ...failed("timeout", "the script did not end within 10s"),
    },
  ],
  [
    "timeout",
    "Stopped after 0.5 s",
    {
      timedOut: true,
      limitsHit: ["timeout"],
      durationMs: 508,
      ...failed("Timeout", "The script did not end within 500ms."),
    },
  ],
  [
    "memory",
    "Stopped: out of memory",
    { limitsHit: ["memory"], ...failed("memory", "the script wanted more memory than 50331648 bytes") },
  ],
  [
    "memory",
    "Stopped: out of memory",
    { limitsHit: ["memory"], ...failed("MemoryLimit", "The script wanted more memory than it may have.") },
  ],
  [
    "host_calls",
    "Stopped: too many requests",
    { limitsHit: ["host_calls"], ...failed("host_calls", "the script made more than 100 host calls") },
  ],
  [
    "host_calls",
    "Stopped: too many requests",
    { limitsHit: ["output", "host_calls"], ...failed("HostCallLimit", "more than 100") },
  ],
  [
    "result_too_large",
    "Result too large",
    { limitsHit: ["result"], ...failed("result_too_large", "the result is larger than 1048576 bytes") },
  ],
  ["result_not_json", "Result is not JSON", failed("result_not_json", "the result is nested too deeply")],
  ["wrong_result", "Not a health check result", failed("ResultError", "success is missing")],
  ["stalled", "Stopped: waits forever", failed("stalled", "the script waits for a promise that nothing will settle")],
  ["stalled", "Stopped: waits forever", failed("Stalled", "The script waits for something that will not happen.")],
  ["import_refused", "Import refused", failed("import_refused", 'the module "fs" does not exist', [frame])],
  [
    "import_refused",
    "Import refused",
    failed("ImportError", 'The script was not run: The module "fs" does not exist', [frame]),
  ],
  ["no_network", "No network", failed("TypeError", "fetch failed: this script has no network", [frame])],
  ["no_network", "No network", { exitCode: 6, stderr: "curl: the script has no access to the network" }],
  ["not_run", "Not run", failed("SyntaxError", "The script was not run: Variable declaration expected.", [frame])],
  [
    "not_run",
    "Not run",
    failed("ExportError", "The script was not run: A script exports its function as the default.", [frame]),
  ],
  ["trap", "The sandbox failed", failed("trap", "the script broke its engine: unreachable")],
  ["trap", "The sandbox failed", failed("Trap", "The script broke the shell.")],
  ["trap", "The sandbox failed", failed("StackOverflow", "The script calls itself too often.")],
  ["thrown", "Failed", failed("TypeError", "no luck", [frame])],
  // Errors of the script that are called like an ending stay its own.
  ["thrown", "Failed", failed("trap", "mine", [frame])],
  ["thrown", "Failed", failed("timeout", "mine", [frame])],
  ["thrown", "Failed", failed("constructor", "mine")],
];

describe("The ending of a run", () => {
  test.each(answers)("is %s, called %j", (ending, label, change) => {
    const whole = { ...outcome, ...change };
    expect(endingOf(whole)).toBe(ending);
    expect(ending ? labelOf(ending, whole) : "").toBe(label);
  });

  test("that the network explains needs a policy without one", () => {
    expect(
      endingOf({
        ...outcome,
        networkAllowed: true,
        ...failed("TypeError", "fetch failed: this script has no network", [frame]),
      }),
    ).toBe("thrown");
  });

  test("has words of its own, and one sentence about what to do", () => {
    const seen = new Set(answers.map(([ending]) => ending));
    for (const [ending, { label, advice }] of Object.entries(endings)) {
      expect(seen).toContain(ending);
      expect(label).toMatch(/^[A-Z][^_]+[^.]$/);
      expect(advice).toMatch(/^[A-Z][^.]+\.$/);
    }
    expect(new Set(Object.values(endings).map(({ label }) => label)).size).toBe(Object.keys(endings).length);
  });
});

describe("The text of an error", () => {
  test("names what the script has thrown", () => {
    expect(errorText("thrown", { name: "TypeError", message: "no luck", stack: [] })).toEqual({
      name: "TypeError",
      message: "no luck",
    });
  });

  test("is a sentence with sizes that people read, where the sandbox says it", () => {
    const memory = { name: "memory", message: "the script wanted more memory than 50331648 bytes", stack: [] };
    expect(errorText("memory", memory)).toEqual({ name: "", message: "The script wanted more memory than 48 MiB." });
    const late = { name: "timeout", message: "the script did not end within 500ms", stack: [] };
    expect(errorText("timeout", late).message).toBe("The script did not end within 500 ms.");
    const large = { name: "result_too_large", message: "the result is larger than 65536 bytes", stack: [] };
    expect(errorText("result_too_large", large).message).toBe("The result is larger than 64 KiB.");
    const syntax = {
      name: "SyntaxError",
      message: "The script was not run: Variable declaration expected.",
      stack: [],
    };
    expect(errorText("not_run", syntax)).toEqual({ name: "SyntaxError", message: "Variable declaration expected." });
  });

  test("ends once", () => {
    expect(["a", "A.", "why?"].map(sentence)).toEqual(["A.", "A.", "Why?"]);
  });
});
