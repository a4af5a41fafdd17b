import remend from "remend";
import { beforeAll, expect, it } from "vitest";
import { blocksOf } from "./blocks";
import { endingOptions, loadEnding } from "./ending";

beforeAll(loadEnding);

const text = [
  "## What was **found**",
  "Some **words** about it, `code`, ~~not~~ and a [link](https://example.org).",
  "- one\n- **two**\n  - and three",
  "| name | value |\n|---|---|\n| *one* | two |",
  "```go\nfunc main() { // **not bold**\n\n}\n```",
  "> said **so**",
  "The *end*.",
].join("\n\n");

const rawOf = (part: string, growing: boolean) => blocksOf(part, growing).blocks.map(({ raw }) => raw);

/** Without what nobody sees: the end of a line, and the mark by which a hyphen under a text makes no heading of it. */
const seen = (blocks: string[]) => blocks.map((block) => block.replaceAll("\u200B", "").trimEnd());

it("ends what is begun in the block that is written, as it would in the whole text", () => {
  expect(rawOf("", true)).toEqual([]);
  expect(rawOf("one\n\ntwo **three", true)).toEqual(["one", "two **three**"]);
  for (let length = 1; length <= text.length; length++) {
    const part = text.slice(0, length);
    const ended = remend(part, endingOptions);
    expect(seen(rawOf(part, true))).toEqual(seen(rawOf(ended, false)));
  }
});

it("leaves the blocks before it as they are", () => {
  const states = Array.from({ length: text.length }, (_, length) => rawOf(text.slice(0, length + 1), true));
  for (const [number, blocks] of states.entries()) {
    // The last two may still become one.
    const before = (states[number - 1] ?? []).slice(0, -2);
    expect(blocks.slice(0, before.length)).toEqual(before);
  }
});

const textOf = (part: string) => rawOf(part, false).join("").trim();

it("reads whatever a model writes, also what nobody can draw", () => {
  for (const deep of [">".repeat(8_000), "1. ".repeat(3_000), `${"> ".repeat(200)}so **deep**`]) {
    const { blocks } = blocksOf(deep, true);
    expect(blocks.map(({ type }) => type)).toEqual(["paragraph"]);
    expect(textOf(deep)).toBe(deep.trim());
  }
  // These take the library seconds, or a minute, when it looks for addresses of mail in them.
  for (const endless of [`${"a.".repeat(20_000)}@`, "a.*".repeat(14_000), "a_*".repeat(14_000), "a.~".repeat(14_000)]) {
    expect(textOf(`${endless} **word**`)).toBe(`${endless} **word**`);
  }
  expect(blocksOf("Write to ada.lovelace@example.org.", false).blocks[0]).toMatchObject({
    tokens: [{ type: "text" }, { type: "link", href: "mailto:ada.lovelace@example.org" }, { type: "text" }],
  });
  const nested = `${"*a _b ".repeat(60)}${"b_ a* ".repeat(60)}`;
  for (const deep of [nested, `| ${nested} |\n|---|\n| b |`]) {
    expect(blocksOf(deep, false).blocks).toMatchObject([{ type: "paragraph", pre: true, text: deep }]);
  }
});

it("ends nothing where nothing is begun", () => {
  expect(rawOf("    a ** b `c", true)).toEqual(["    a ** b `c"]);
  expect(rawOf("<div>\n**b", true)).toEqual(["<div>\n**b"]);
  expect(rawOf("- one **two\n- three **four", true)).toEqual(["- one **two\n- three **four**"]);
  expect(rawOf("- > 25 of them", true)).toEqual(["- > 25 of them"]);
});
