import { expect, it } from "vitest";
import { markedLines, tokensOf } from "./highlight";

const lines = (code: string, language: string) => (markedLines(code, language) ?? []).map(tokensOf);

it("gives back every character, whatever the code looks like", () => {
  const hostile = `const a = "<img src=x onerror=alert(1)>"; // </span><span class="hljs-x"> &lt;\n\`one\n\${two}\n\`\n`;
  for (const language of ["typescript", "go", "bash", "xml", "yaml", "diff", "python", "sql", "json", "markdown"]) {
    const read = lines(hostile, language);
    expect(read.map((line) => line.map(({ text }) => text).join("")).join("\n")).toBe(hostile);
    expect(read.flat().every(({ kind }) => /^[\w-]*$/.test(kind))).toBe(true);
  }
});

it("says what a word is, also in a thing of several lines", () => {
  expect(lines("return 4", "go")[0]).toEqual([
    { kind: "keyword", text: "return" },
    { kind: "", text: " " },
    { kind: "number", text: "4" },
  ]);
  expect(lines("/* one\ntwo */", "go")).toEqual([
    [{ kind: "comment", text: "/* one" }],
    [{ kind: "comment", text: "two */" }],
  ]);
});

it("knows languages by their usual names, and says of others that it does not", () => {
  const names = ["sh", "ts", "tsx", "yml", "golang", "py", "html", "console", "docker", "rs"];
  expect(names.filter((name) => markedLines("x", name) === null)).toEqual([]);
  expect(markedLines("x", "mermaid")).toBeNull();
});
