import { describe, expect, test } from "vitest";
import type { ScriptDiagnostic, ScriptOutcome } from "../api/scripts";
import { duration, mergeProblems, problemsOf, thrownAt, verdictOf, type Problem } from "./problems";
import { quietOutcome as outcome } from "./fixture";

const source = "const n: number = 'x';\nreturn n;\n";
const diagnostic: ScriptDiagnostic = {
  rule: "type",
  severity: "error",
  code: 2322,
  message: "Type 'string' is not assignable to type 'number'.",
  line: 1,
  column: 7,
  endLine: 1,
  endColumn: 8,
};

describe("A problem", () => {
  test("stands where the server saw it", () => {
    const [problem] = problemsOf([diagnostic], source);
    expect(problem).toMatchObject({
      line: 1,
      column: 7,
      endLine: 1,
      endColumn: 8,
      code: "TS2322",
      severity: "error",
      source: "server",
    });
  });

  test("without a code of TypeScript is named after its rule", () => {
    const [problem] = problemsOf([{ ...diagnostic, rule: "import", code: undefined }], source);
    expect(problem?.code).toBe("import");
  });

  test("stays within the text and can always be seen", () => {
    const [beyond, empty] = problemsOf(
      [
        { ...diagnostic, line: 90, column: 90, endLine: 91, endColumn: 1 },
        { ...diagnostic, line: 2, column: 3, endLine: 2, endColumn: 3 },
      ],
      source,
    );
    expect(beyond).toMatchObject({ line: 3, column: 1, endLine: 3, endColumn: 2 });
    expect(empty).toMatchObject({ line: 2, column: 3, endLine: 2, endColumn: 4 });
  });

  test("that the editor and the server both find is listed once, in the order of the script", () => {
    const server = problemsOf(
      [{ ...diagnostic, line: 2, column: 1, endLine: 2, endColumn: 2, code: 1 }, diagnostic],
      source,
    );
    const editor: Problem[] = [{ ...(server[1] as Problem), source: "editor" }];
    expect(mergeProblems(editor, server).map(({ line, source: by }) => `${line} ${by}`)).toEqual([
      "1 editor",
      "2 server",
    ]);
  });
});

describe("The word about a run", () => {
  const error = { name: "Error", message: "no", stack: [] };
  test.each<[string, Partial<ScriptOutcome>]>([
    ["Finished", {}],
    ["Stopped after 2 s", { timedOut: true, durationMs: 2_003, error }],
    ["Failed", { error }],
    ["Exit code 3", { exitCode: 3 }],
    ["Finished", { exitCode: 0 }],
    ["Unhealthy", { result: { success: false } }],
    ["Finished with type errors", { diagnostics: [diagnostic] }],
    ["Finished", { diagnostics: [{ ...diagnostic, severity: "warning" }] }],
  ])("is %s for %o", (label, change) => {
    expect(verdictOf({ ...outcome, ...change }, "healthcheck").label).toBe(label);
  });

  test("that was thrown is marked at the word where it was, once", () => {
    const thrown = { ...outcome, error: { ...error, stack: [{ line: 2, column: 8 }] } };
    expect(thrownAt(thrown, source)).toMatchObject({
      line: 2,
      column: 8,
      endLine: 2,
      endColumn: 9,
      message: "Error: no",
    });
    expect(thrownAt({ ...thrown, error: { ...error, stack: [{ line: 2, column: 1 }] } }, source)).toMatchObject({
      endColumn: 7,
    });
    expect(
      thrownAt({ ...thrown, error: { ...error, stack: [{ line: 1, column: 7 }] }, diagnostics: [diagnostic] }, source),
    ).toBeNull();
    expect(thrownAt({ ...outcome, error }, source)).toBeNull();
    expect(thrownAt(outcome, source)).toBeNull();
  });

  test("is about the result of health checks only", () => {
    expect(verdictOf({ ...outcome, result: { success: false } }, "automation").label).toBe("Finished");
  });
});

test("Durations are short to read", () => {
  expect([0, 12.4, 999, 1_000, 9_999, 12_345].map(duration)).toEqual([
    "0 ms",
    "12 ms",
    "999 ms",
    "1.00 s",
    "10.00 s",
    "12.3 s",
  ]);
});
