import { render, screen, within } from "@testing-library/react";
import { marked } from "marked";
import { expect, it } from "vitest";
import MarkdownRenderer from "./MarkdownRenderer";

const numbers = Array.from({ length: 200 }, (_, number) => number);
const head = "| name | value | note |\n|:---|---:|---|\n";
const table = head + numbers.map((n) => `| system-${n} | ${n} | a **note** \\| \`x\\|y\` |`).join("\n");
const texts: Record<string, string> = {
  table,
  "all kinds":
    "# One\n\nA **b *and* c** ~~d~~ `e`\\\nnext line  \nand [l](https://example.org/ 'T').\n\n> quote\n>\n> - more\n>   1. and\n\n---\n\nTitle\n===\n\n    indented",
  tight: numbers.map((n) => `- item ${n} with **bold**`).join("\n"),
  nested: numbers.map((n) => `* item ${n}\n  - one\n  - two\n    1. three`).join("\n"),
  loose: numbers.map((n) => `${n + 3}. item ${n}\n\n   And more of it.`).join("\n\n"),
  "loose at its end": `${numbers.map((n) => `1) item number ${n}`).join("\n")}\n\n1) the last one`,
  tasks: numbers.map((n) => `- [${n % 2 ? "x" : " "}] task ${n}`).join("\n"),
  fenced: numbers.map((n) => `1. step ${n}\n   \`\`\`sh\n   one\n\n   - two\n   \`\`\``).join("\n"),
  lazy: numbers.map((n) => `+ item ${n}\ngoes on\n- - -`).join("\n"),
  broken: numbers.map((n) => `- item ${n}\n- - -\n- [ ] ${n}\n*other*`).join("\n"),
};

const drawnOtherwise: Record<string, string> = { H1: "H3", H2: "H3", H4: "H3", H5: "H3", H6: "H3" };
/** The text of an element, without what is around a code. */
function said(element: Element): string {
  const copy = element.cloneNode(true) as Element;
  for (const title of copy.querySelectorAll(".code-block > div")) title.remove();
  return copy.textContent.replaceAll(/\s+/g, "");
}

/** Drawn content: the elements in their order, and the text of each. */
function elements(root: Element): string[] {
  return [...root.querySelectorAll("*")]
    .filter((element) => !element.closest("button, svg") && !/^(?:DIV|SPAN|WBR)$/.test(element.tagName))
    .map((element) => `${drawnOtherwise[element.tagName] ?? element.tagName} ${said(element)}`);
}

const start = (root: ParentNode) => [...root.querySelectorAll("ol")].map((list) => list.getAttribute("start"));

it.each(Object.entries(texts))("draws in pieces what the library prints at once: %s", (_, text) => {
  const printed = new DOMParser().parseFromString(marked.parse(text, { async: false }), "text/html");
  const { container } = render(<MarkdownRenderer streaming={false} text={text} />);
  expect(elements(container)).toEqual(elements(printed.body));
  expect(start(container)).toEqual(start(printed));
});

it("is one table, and leaves its rows as they are while others come", () => {
  const { rerender } = render(<MarkdownRenderer streaming text={table} />);
  const all = screen.getByRole("table");
  expect(within(all).getAllByRole("columnheader")).toHaveLength(3);
  const before = within(all).getAllByRole("row");
  expect(before).toHaveLength(201);
  expect(within(all).getAllByRole("cell")[2]?.dataset.title).toBe("note");
  expect(within(all).getAllByRole("cell")[1]?.style.textAlign).toBe("right");
  rerender(<MarkdownRenderer streaming text={`${table}\n| one more | 1 | x |`} />);
  const after = within(screen.getByRole("table")).getAllByRole("row");
  expect(after).toHaveLength(202);
  expect(after.slice(0, 201)).toEqual(before);
});

const headed = (row: string) => `|A &amp; *B*|Name<br>id|\n|-|-|\n${row}`;

it("draws a row again whose cells have moved, and names cells as their headings are read", () => {
  const { container, rerender } = render(<MarkdownRenderer streaming text={headed("|a \\| b|c|")} />);
  const cells = () => [...container.querySelectorAll("td")].map((cell) => [cell.dataset.title, cell.textContent]);
  expect(cells()).toEqual([
    ["A & B", "a | b"],
    ["Name id", "c"],
  ]);
  rerender(<MarkdownRenderer streaming text={headed("|a|b \\| c|")} />);
  expect(cells()).toEqual([
    ["A & B", "a"],
    ["Name id", "b | c"],
  ]);
});

it("makes of a list with empty lines one of paragraphs, when the first empty line comes at its end", () => {
  const list = texts.tight ?? "";
  const { container, rerender } = render(<MarkdownRenderer streaming text={list} />);
  expect(container.querySelectorAll("li p")).toHaveLength(0);
  rerender(<MarkdownRenderer streaming text={`${list}\n\n- the last`} />);
  expect(container.querySelectorAll("li p")).toHaveLength(201);
});

it("gives texts in a table room, and long names places where they may go on", () => {
  const long = "a text that is so long that it needs room to be read in";
  const { container } = render(
    <MarkdownRenderer
      streaming={false}
      text={`| Name | *About* |\n|---|---|\n| one | ${long} |\n| \`catalog.createSystemOfGroups\` | |`}
    />,
  );
  const cells = [...container.querySelectorAll("td")];
  expect(cells.map(({ dataset }) => [dataset.title, dataset.long])).toEqual([
    ["Name", undefined],
    ["About", ""],
    ["Name", undefined],
    ["About", undefined],
  ]);
  expect(cells[2]?.querySelector("code")?.innerHTML).toBe("catalog.<wbr>create<wbr>System<wbr>Of<wbr>Groups");
});
