import { cleanup, render } from "@testing-library/react";
import { beforeAll, expect, it } from "vitest";
import { loadEnding } from "./ending";
import MarkdownRenderer from "./MarkdownRenderer";

beforeAll(loadEnding);

const fragments = [
  "word ",
  "\n",
  "\n\n",
  "**",
  "*",
  "_",
  "~~",
  "`",
  "```\n",
  "- ",
  "  - ",
  "1. ",
  "> ",
  "# ",
  "---\n",
  "| a | b |\n|---|:-:|\n",
  "| \\| | `c|d` |\n",
  "[x](https://example.org/?a&amp;b)",
  "[x](javascript:alert(1))",
  "![y](//example.org/y.png)",
  "[r]",
  "[r]: https://example.org/r\n",
  "<b onclick=alert(1)>",
  "</b>",
  "<br>",
  "<!-- c -->",
  "<script>alert(1)</script>",
  "&lt;img src=x onerror=alert(1)&gt;",
  "\\",
  "- [x] ",
  "a@example.org ",
  "https://example.org/z ",
];

/** The same numbers each time, so that what fails once fails again. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const kinds = new Set(
  "A B BLOCKQUOTE BR BUTTON CODE DEL DIV EM H3 HR INPUT LI OL P PATH PRE SPAN STRONG SVG TABLE TBODY TD TH THEAD TR UL WBR".split(
    " ",
  ),
);

it.each(Array.from({ length: 60 }, (_, seed) => seed))(
  "draws what comes piece by piece as what comes at once, and nothing that acts: %i",
  (seed) => {
    const random = numbers(seed);
    const text = Array.from({ length: 30 }, () => fragments[random(fragments.length)]).join("");
    const growing = render(<MarkdownRenderer streaming text="" />);
    for (let end = 0; end < text.length; end += 1 + random(9))
      growing.rerender(<MarkdownRenderer streaming text={text.slice(0, end)} />);
    growing.rerender(<MarkdownRenderer streaming={false} text={text} />);
    const grown = growing.container.cloneNode(true);
    const all = [...growing.container.querySelectorAll("*")];
    const attributes = all.flatMap((element) => [...element.attributes]);
    const hrefs = attributes.filter(({ name }) => name === "href").map(({ value }) => value);
    expect(all.map(({ tagName }) => tagName.toUpperCase()).filter((name) => !kinds.has(name))).toEqual([]);
    expect(attributes.filter(({ name }) => /^on|^src|^id$/.test(name))).toEqual([]);
    expect(hrefs.filter((href) => !/^(?:https?:\/\/example\.org\/|mailto:)/.test(href))).toEqual([]);
    cleanup();
    const { container: fresh } = render(<MarkdownRenderer streaming={false} text={text} />);
    expect(grown.isEqualNode(fresh), `${text}\n\nbecame\n\n${(grown as Element).innerHTML}`).toBe(true);
  },
);
