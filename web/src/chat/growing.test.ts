import remend from "remend";
import { parseMarkdownIntoBlocks } from "streamdown";
import { expect, it } from "vitest";
import { growingBlocks } from "./growing";

const text = [
  "## What was **found**",
  "Some **words** about it, `code`, ~~not~~ and a [link](https://example.org).",
  "- one\n- **two**\n  - and three",
  "| name | value |\n|---|---|\n| *one* | two |",
  "```go\nfunc main() { // **not bold**\n\n}\n```",
  "> said **so**",
  "The *end*.",
].join("\n\n");

/** Without what nobody sees: the end of a line, and the mark by which a hyphen under a text makes no heading of it. */
const seen = (blocks: string[]) => blocks.map((block) => block.replaceAll("\u200B", "").trimEnd());

it("ends what is begun in the block that is written, as it would in the whole text", () => {
  expect(growingBlocks("")).toEqual([]);
  expect(growingBlocks("one\n\ntwo **three")).toEqual(["one\n\n", "two **three**"]);
  for (let length = 1; length <= text.length; length++) {
    const part = text.slice(0, length);
    expect(seen(growingBlocks(part))).toEqual(seen(parseMarkdownIntoBlocks(remend(part))));
  }
});

it("leaves the blocks before it as they are", () => {
  const states = Array.from({ length: text.length }, (_, length) => growingBlocks(text.slice(0, length + 1)));
  for (const [number, blocks] of states.entries()) {
    // The last two may still become one.
    const before = (states[number - 1] ?? []).slice(0, -2);
    expect(blocks.slice(0, before.length)).toEqual(before);
  }
});
