import { act, render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import MarkdownRenderer from "./MarkdownRenderer";
import { nextEnd, nextFirst, weightOf } from "./paced";

const paragraphs = Array.from({ length: 400 }, (_, n) => `Paragraph ${n} with **words** about it.`);
const text = paragraphs.join("\n\n");

it("takes steps to the ends of lines, none of them long, until all is drawn", () => {
  const steps: string[] = [];
  for (let at = 0; at < text.length;) {
    const end = nextEnd(text, at);
    steps.push(text.slice(at, end));
    at = end;
  }
  expect(steps.length).toBeGreaterThan(3);
  expect(steps.join("")).toBe(text);
  expect(steps.slice(0, -1).every((step) => step.endsWith("\n"))).toBe(true);
  expect(steps.every((step) => weightOf(step) <= 6_000)).toBe(true);
  // Neither a line without an end nor a short rest is waited for.
  expect(nextEnd("x".repeat(20_000), 0)).toBe(3_000);
  expect(nextEnd("x".repeat(20_000), 3_000)).toBe(9_000);
  expect(nextEnd(text, text.length - 50)).toBe(text.length);
  expect(nextEnd("", 0)).toBe(0);
});

it("takes steps backwards in the same way, of one text at least", () => {
  const texts = [...paragraphs.slice(0, 200), "x".repeat(30_000), ...paragraphs.slice(200)];
  const firsts = [texts.length];
  while ((firsts.at(-1) ?? 0) > 0) firsts.push(nextFirst(texts, firsts.at(-1) ?? 0));
  expect(firsts.at(-1)).toBe(0);
  const widths = firsts.slice(1).map((first, n) => (firsts[n] ?? 0) - first);
  expect(widths.every((width) => width > 0 && width < 100)).toBe(true);
  expect(widths).toContain(1);
  expect(nextFirst([], 0)).toBe(0);
});

/** Content drawn after all steps. */
async function drawn(pace: "forward" | "backward", whole: string) {
  const { container } = render(<MarkdownRenderer pace={pace} streaming={false} text={whole} />);
  const marks = () => container.querySelectorAll("p, li, tr").length;
  for (let before = -1; before !== marks();) {
    before = marks();
    await act(async () => {});
  }
  return container;
}

it.each(["forward", "backward"] as const)("draws all of a long answer in the end, %s", async (pace) => {
  const rows = Array.from({ length: 300 }, (_, n) => `| system ${n} | ${n} |`).join("\n");
  const items = Array.from({ length: 300 }, (_, n) => `- item number ${n}`).join("\n");
  const container = await drawn(pace, `${text}\n\n| name | value |\n|---|---|\n${rows}\n\n${items}\n\nThe end.`);
  expect([...container.querySelectorAll("p")].map(({ textContent }) => textContent)).toEqual([
    ...paragraphs.map((paragraph) => paragraph.replaceAll("**", "")),
    "The end.",
  ]);
  expect(screen.getAllByRole("row")).toHaveLength(301);
  expect([...container.querySelectorAll("li")].map(({ textContent }) => textContent)).toEqual(
    Array.from({ length: 300 }, (_, n) => `item number ${n}`),
  );
});

it("begins with the end of what was there before, and with the beginning of what comes", async () => {
  const { renderToString } = await import("react-dom/server");
  const first = (pace: "forward" | "backward" | undefined) =>
    renderToString(<MarkdownRenderer pace={pace} streaming={false} text={text} />);
  expect(first("backward")).toContain("Paragraph 399 ");
  expect(first("backward")).not.toContain("Paragraph 300 ");
  expect(first("forward")).toContain("Paragraph 0 ");
  expect(first("forward")).not.toContain("Paragraph 100 ");
  for (const n of [0, 200, 399]) expect(first(undefined)).toContain(`Paragraph ${n} `);
});

it("draws another text in the place of one at once", () => {
  const { rerender, container } = render(<MarkdownRenderer pace="forward" streaming text="One." />);
  rerender(<MarkdownRenderer pace="forward" streaming={false} text="Another." />);
  expect(container.textContent).toBe("Another.");
});
