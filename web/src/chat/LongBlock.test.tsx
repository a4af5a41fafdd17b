import { render, screen, within } from "@testing-library/react";
import { expect, it } from "vitest";
import MarkdownRenderer from "./MarkdownRenderer";

const numbers = Array.from({ length: 200 }, (_, number) => number);
const head = "| name | value | note |\n|:---|---:|---|\n";
const table = head + numbers.map((n) => `| system-${n} | ${n} | a **note** \\| \`x|y\` |`).join("\n");
const lists: Record<string, string> = {
  tight: numbers.map((n) => `- item ${n} with **bold**`).join("\n"),
  nested: numbers.map((n) => `* item ${n}\n  - one\n  - two\n    1. three`).join("\n"),
  loose: numbers.map((n) => `${n + 3}. item ${n}\n\n   And more of it.`).join("\n\n"),
  "loose at its end": `${numbers.map((n) => `1) item number ${n}`).join("\n")}\n\n1) the last one`,
  tasks: numbers.map((n) => `- [${n % 2 ? "x" : " "}] task ${n}`).join("\n"),
  fenced: numbers.map((n) => `1. step ${n}\n   \`\`\`sh\n   one\n\n   - two\n   \`\`\``).join("\n"),
  lazy: numbers.map((n) => `+ item ${n}\ngoes on\n- - -`).join("\n"),
  broken: numbers.map((n) => `- item ${n}\n- - -\n- [ ] ${n}\n*other*`).join("\n"),
};

/** What is drawn, without what says nothing: the pieces are drawn as their whole is. */
const html = (text: string, whole: boolean) => {
  const { container, unmount } = render(<MarkdownRenderer streaming={false} text={text} whole={whole} />);
  const drawn = container
    .querySelector(".answer")
    ?.innerHTML.replaceAll(/\s*(<[^>]*>)\s*/g, "\n$1\n")
    .split("\n");
  unmount();
  return drawn;
};

it.each(Object.entries({ table, ...lists }))("draws what is long as it would be drawn at once: %s", (_, text) => {
  expect(html(text, false)).toEqual(html(text, true));
});

it("is one table, and leaves its rows as they are while others come", () => {
  const { rerender } = render(<MarkdownRenderer streaming text={table} />);
  const all = screen.getByRole("table");
  expect(within(all).getAllByRole("columnheader")).toHaveLength(3);
  const before = within(all).getAllByRole("row");
  expect(before).toHaveLength(201);
  expect(within(all).getAllByRole("cell")[2]?.dataset.title).toBe("note");
  rerender(<MarkdownRenderer streaming text={`${table}\n| one more | 1 | x |`} />);
  const after = within(screen.getByRole("table")).getAllByRole("row");
  expect(after).toHaveLength(202);
  expect(after.slice(0, 201)).toEqual(before);
});
