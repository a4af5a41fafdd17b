import { describe, expect, test } from "vitest";
import { highlight, type Kind, type Language } from "./highlight";

const of = (kind: Kind, source: string, language: Language = "typescript") =>
  highlight(source, language)
    .flat()
    .filter((token) => token.kind === kind)
    .map(({ text }) => text);

describe("The colors of a script", () => {
  test("know words, texts, numbers and comments", () => {
    const source = "const a1 = 'it\\'s'; // for you\nreturn `x ${a1}` + 42; /* in\ntwo */";
    expect(of("keyword", source)).toEqual(["const", "return"]);
    expect(of("string", source)).toEqual(["'it\\'s'", "`x ${a1}`"]);
    expect(of("number", source)).toEqual(["42"]);
    expect(of("comment", source)).toEqual(["// for you", "/* in", "two */"]);
  });

  test("take a pattern for a text, and a division for none", () => {
    expect(of("string", `const r = /["/]+/g; const q = 6 / 2 / 3;`)).toEqual([`/["/]+/g`]);
    expect(of("string", 'fetch("https://example.com")')).toEqual(['"https://example.com"']);
  });

  test("know the variables of a shell script", () => {
    const source = `# looks\nif [ "$A" = 1 ]; then echo \${B:-c} $? a#b; fi\nexit 3`;
    expect(of("variable", source, "shell")).toEqual(["${B:-c}", "$?"]);
    expect(of("keyword", source, "shell")).toEqual(["if", "then", "fi", "exit"]);
    expect(of("comment", source, "shell")).toEqual(["# looks"]);
    expect(of("string", source, "shell")).toEqual(['"$A"']);
    expect(of("number", source, "shell")).toEqual(["1", "3"]);
  });

  test.each<[Language, string]>([
    ["typescript", "a\n\n`open ${\nb"],
    ["typescript", "/* open"],
    ["typescript", "const = '\nreturn \"x"],
    ["shell", "echo 'open\n\"\n${"],
    ["shell", ""],
  ])("leave out nothing of %s %j", (language, source) => {
    const text = highlight(source, language)
      .map((line) => line.map((token) => token.text).join(""))
      .join("\n");
    expect(text).toBe(source);
  });

  test("are found at once in a long script of anything", () => {
    const began = performance.now();
    for (const piece of ["'", "`${", "/*", "= /[", "${", "\\", "return /"])
      highlight(piece.repeat(100_000), "typescript");
    for (const piece of ['"', "${", "$", " #", "a-"]) highlight(piece.repeat(100_000), "shell");
    expect(performance.now() - began).toBeLessThan(60_000);
  });
});
