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
  // This takes the library four seconds when it looks for addresses in it.
  const endless = `${"a.".repeat(20_000)}@`;
  expect(textOf(`${endless} **word**`)).toBe(`${endless} **word**`);
  expect(blocksOf(`${endless} **word**`, false).blocks[0]).toMatchObject({
    tokens: [{ type: "text" }, { type: "strong" }],
  });
});
