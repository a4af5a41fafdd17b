import { expect, it } from "vitest";
import { fileText, fileWords } from "./files";

it("Files of a bundle have names that people know", () => {
  expect(
    [
      "agent.md",
      "tools/add/source.ts",
      "tools/add/schema.json",
      "tools/add/other.txt",
      "skills/tone/SKILL.md",
      "spec.json",
    ].map(fileWords),
  ).toEqual([
    "agent.md",
    "add: source",
    "add: description, arguments and effect",
    "add: other.txt",
    "skill tone",
    "secrets and limits",
  ]);
});

it("JSON is compared member by member", () => {
  expect(fileText("spec.json", '{"a":1}')).toBe('{\n  "a": 1\n}');
  expect(fileText("spec.json", "{")).toBe("{");
  expect(fileText("agent.md", '{"a":1}')).toBe('{"a":1}');
  expect(fileText("spec.json", undefined)).toBeUndefined();
});
