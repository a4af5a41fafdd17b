import { expect, it } from "vitest";
import type { ToolDiagnostic } from "../../api/agents";
import { allProblems, isAboutSchema, problemsOf } from "./diagnostics";

const found = (change: Partial<ToolDiagnostic>): ToolDiagnostic => ({
  code: "banned_eval",
  severity: "error",
  message: "This makes code out of text.",
  line: 2,
  column: 3,
  end_line: 2,
  end_column: 7,
  ...change,
});

it("A finding of the server stands at its place, with what to do instead", () => {
  expect(problemsOf([found({ hint: "Write the code itself." })], "a\n  eval(b)")).toEqual([
    {
      line: 2,
      column: 3,
      endLine: 2,
      endColumn: 7,
      message: "This makes code out of text.",
      hint: "Write the code itself.",
      code: "banned_eval",
      severity: "error",
      source: "server",
    },
  ]);
});

it("Places beyond the text are at its end, and those without a length have one", () => {
  const [late] = problemsOf([found({ line: 9, column: 40, end_line: 9, end_column: 40 })], "ab");
  expect(late).toMatchObject({ line: 1, column: 3, endLine: 1, endColumn: 4 });
});

it("What is wrong in the schema has no place in the source", () => {
  const schema = found({ code: "args_schema_invalid", line: 0, column: 0 });
  expect(isAboutSchema(schema)).toBe(true);
  expect(isAboutSchema(found({ code: "args_schema_mismatch" }))).toBe(false);
  expect(problemsOf([schema], "a")).toEqual([]);
});

it("What the editor and the server both say stands once, in the words of the server", () => {
  const server = problemsOf([found({ code: "type", message: "Type 'string' is not a number." })], "a\n  eval(b)");
  const [first] = server;
  const editor = {
    ...first,
    code: "TS2322",
    source: "editor" as const,
    severity: "error" as const,
  } as (typeof server)[0];
  expect(
    allProblems([editor, { ...editor, line: 1, message: "Another" }], server).map(({ code, line }) => [line, code]),
  ).toEqual([
    [1, "TS2322"],
    [2, "type"],
  ]);
});
