import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import MarkdownRenderer from "./MarkdownRenderer";

const show = (text: string, streaming = false) => render(<MarkdownRenderer streaming={streaming} text={text} />);

it("fetches nothing and runs nothing of what a model writes", () => {
  const { container } = show(
    [
      "![look](https://example.org/a.png)",
      '<img src="https://example.org/b.png" onerror="alert(1)"><script>alert(1)</script><iframe src="https://example.org"></iframe>',
      "[run](javascript:alert(1)) [out](https://example.org/c)",
      '<table style="position:fixed" onclick="alert(1)"><tr><td data-title="x" style="background:url(https://example.org/d)">cell</td></tr></table>',
      "```mermaid\ngraph TD; a[<img src=x>]-->b\n```",
    ].join("\n\n"),
  );
  expect(container.querySelectorAll("img, script, iframe, svg:not([aria-hidden])")).toHaveLength(0);
  const attributes = [...container.querySelectorAll("*")].flatMap((element) => Array.from(element.attributes));
  for (const { name, value } of attributes) expect(`${name}=${value}`).not.toMatch(/^on|javascript:|position:|url\(/);
  expect(container.textContent).toContain("<script>alert(1)</script>");
  const links = [...container.querySelectorAll("a")];
  expect(links.map((link) => link.getAttribute("href")).filter(Boolean)).toContain("https://example.org/c");
  expect(links.every((link) => link.rel.includes("noopener") || !link.href)).toBe(true);
  expect(container.querySelector("pre")?.textContent).toContain("graph TD; a[<img src=x>]-->b");
});

it("shows HTML as it was written, but for the end of a line and what is not to be seen", () => {
  const { container } = show(
    "One<br>two <b>not bold</b> <!-- hidden -->\n\n<details><summary>More</summary>\n\nThe **rest**\n\n</details>\n\n| a |\n|---|\n| x<br/>y |",
  );
  expect(container.querySelectorAll("br")).toHaveLength(2);
  expect(container.querySelectorAll("b, details, summary")).toHaveLength(0);
  expect(container.textContent).toContain("two <b>not bold</b>");
  expect(container.textContent).toContain("<details><summary>More</summary>");
  expect(container.textContent).not.toContain("hidden");
  const hidden = show(
    "- a\n\n  <!-- hidden -->\n\n> <!-- hidden -->\n> b\n\n<!-- hidden --> seen <!-- hidden -->",
  ).container;
  expect(hidden.textContent).toContain("seen");
  expect(hidden.textContent).not.toContain("hidden");
  expect(container.querySelector("strong")?.textContent).toBe("rest");
});

it("has code in one frame, with its language, a button that copies it, and its colours", async () => {
  const writeText = vi.fn<() => Promise<void>>(async () => {});
  vi.stubGlobal("navigator", { ...navigator, clipboard: { writeText } });
  const { container } = show("```go\nreturn 4 // <b>\n```");
  const block = screen.getByTestId("code-block");
  within(block).getByText("go");
  within(block).getByRole("group", { name: "Code: go" });
  await waitFor(() => expect(container.querySelector(".code-keyword")?.textContent).toBe("return"));
  expect(block.querySelector("pre")?.textContent).toBe("return 4 // <b>");
  await act(async () => fireEvent.click(within(block).getByTestId("copy-code")));
  expect(writeText).toHaveBeenCalledWith("return 4 // <b>");
  within(block).getByRole("button", { name: "Code copied" });
});

it("has links into the documentation that open it here, however they are written", () => {
  const { container } = show(
    "[a](/docs/concepts/plans#decide) [b](docs/concepts/plans.md#decide) [c](http://localhost:3000/docs/concepts/plans#decide) [d](https://example.org/docs/x)",
  );
  const links = [...container.querySelectorAll("a")];
  expect(links.map((link) => [link.textContent, link.getAttribute("href"), link.target])).toEqual([
    ["a", "/docs/concepts/plans#decide", ""],
    ["b", "/docs/concepts/plans#decide", ""],
    ["c", "/docs/concepts/plans#decide", ""],
    ["d", "https://example.org/docs/x", "_blank"],
  ]);
});

it("opens no address that is none, or is one of another kind", () => {
  const { container } = show(
    [
      "[a](javascript&colon;alert(1)) [b](JaVaScRiPt:alert(1)) [c](data:text/html,x) [d](vbscript:x) [e](blob:http://localhost:3000/x)",
      "[f](some/where) [g](#here) [h](http://) <javascript:alert(1)> ![i](file:///etc/passwd)",
      "[j](//example.org/j) [k](/\\example.org/k) [l](/catalog/systems?a=1&amp;b=2) [m](mailto:a@example.org) https://example.org/n?a&b",
    ].join("\n\n"),
  );
  const links = [...container.querySelectorAll("a")];
  expect(links.map((link) => [link.textContent, link.getAttribute("href"), link.target])).toEqual([
    ["j", "http://example.org/j", "_blank"],
    ["k", "http://example.org/k", "_blank"],
    ["l", "/catalog/systems?a=1&b=2", ""],
    ["m", "mailto:a@example.org", "_blank"],
    ["https://example.org/n?a&b", "https://example.org/n?a&b", "_blank"],
  ]);
  // A path of this site that begins with two slashes would be the address of another one.
  for (const href of [
    "/.//evil.example",
    "http://localhost:3000//evil.example",
    "http://localhost:3000/\\evil.example",
    "http://localhost:3000/docs/..//evil.example",
  ]) {
    const { container: one } = show(`[out](${href})`);
    const link = one.querySelector("a");
    expect([link?.origin, link?.target]).toEqual([window.location.origin, "_blank"]);
  }
  for (const name of "abcdefghi") expect(container.textContent).toContain(name);
});

it("shows characters by their names, and what only looks like one as it is", () => {
  const { container } = show("a &lt;b&gt; &eacute; &#233; &#xe9; \\&amp; &nothing; &#0; `&amp;` AT&T &lt;script&gt;");
  expect(container.textContent).toBe("a <b> é é é &amp; &nothing; \uFFFD &amp; AT&T <script>");
  expect(container.querySelector("script")).toBeNull();
});

it("finds the addresses that links name, also when they come after everything else", () => {
  const text = "See [the page][1].\n\nMore.[^2]\n\n";
  const { container, rerender } = show(text, true);
  expect(container.querySelector("a")).toBeNull();
  rerender(<MarkdownRenderer streaming text={`${text}[1]: https://example.org/page\n[^2]: A note.`} />);
  expect(container.querySelector("a")?.href).toBe("https://example.org/page");
  // A footnote is a text that is shown where it stands.
  expect([...container.querySelectorAll("p")].map(({ textContent }) => textContent)).toEqual([
    "See the page.",
    "More.[^2]",
    "[^2]: A note.",
  ]);
});

it("has no link in a link, and reads what a picture is called", () => {
  const { container } = show(
    "[![a **b** &amp; c](https://example.org/x.png)](https://example.org/y) ![d **e**](https://example.org/z.png)",
  );
  const links = [...container.querySelectorAll("a")];
  expect(links.map((link) => [link.textContent, link.href])).toEqual([
    ["a b & c", "https://example.org/y"],
    ["d e", "https://example.org/z.png"],
  ]);
});

it("takes one wave for what it is", () => {
  const { container } = show("From ~5 to ~10, or 20~25 and 30~35, but ~~not this~~.");
  expect([...container.querySelectorAll("del")].map(({ textContent }) => textContent)).toEqual(["not this"]);
});

it("has no button that copies a code that is still written", () => {
  const { rerender } = show("1. Run:\n   ```sh\n   ls", true);
  expect(screen.queryByTestId("copy-code")).toBeNull();
  expect(screen.getByTestId("code-block").textContent).toContain("ls");
  rerender(<MarkdownRenderer streaming text={"1. Run:\n   ```sh\n   ls\n   ```"} />);
  screen.getByTestId("copy-code");
  rerender(<MarkdownRenderer streaming={false} text={"1. Run:\n   ```sh\n   ls"} />);
  screen.getByTestId("copy-code");
});

it("names tasks, and tables by their columns", () => {
  show("- [x] one\n- [ ] two\n\n| Name | About |\n|---|---|\n| a | b |");
  const [one, two] = screen.getAllByRole("checkbox") as HTMLInputElement[];
  expect([one?.disabled, one?.checked, two?.disabled, two?.checked]).toEqual([true, true, true, false]);
  screen.getByRole("checkbox", { name: "To do" });
  const table = screen.getByRole("table");
  expect(
    within(table)
      .getAllByRole("columnheader")
      .map((title) => title.textContent),
  ).toEqual(["Name", "About"]);
  expect(
    within(table)
      .getAllByRole("cell")
      .map((cell) => cell.dataset.title),
  ).toEqual(["Name", "About"]);
});

it("draws again only what changes while an answer grows", () => {
  const paragraphs = Array.from({ length: 40 }, (_, number) => `Paragraph ${number} with **words**.`);
  const { container, rerender } = show(paragraphs.join("\n\n"), true);
  const before = [...container.querySelectorAll("p")];
  const drawn: Node[] = [];
  const observer = new MutationObserver((records) => drawn.push(...records.map(({ target }) => target)));
  observer.observe(container, { subtree: true, childList: true, characterData: true });
  rerender(<MarkdownRenderer streaming text={`${paragraphs.join("\n\n")} And more.`} />);
  rerender(<MarkdownRenderer streaming={false} text={`${paragraphs.join("\n\n")} And more.`} />);
  drawn.push(...observer.takeRecords().map(({ target }) => target));
  const after = [...container.querySelectorAll("p")];
  expect(after).toHaveLength(before.length);
  expect(after.slice(0, -1)).toEqual(before.slice(0, -1));
  expect(after.at(-1)?.textContent).toBe("Paragraph 39 with words. And more.");
  const last = after.at(-1);
  expect(drawn.every((node) => last?.contains(node))).toBe(true);
});
