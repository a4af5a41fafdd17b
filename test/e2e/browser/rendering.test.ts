import type { Locator } from "playwright-core";
import { expect } from "vitest";
import { Chat } from "./chat";
import { scripted as test } from "./test";
import { phone, resize } from "./visit";

const columns = Array.from({ length: 12 }, (_, column) => `Name of column ${column}`);

/** One of each kind of thing that an answer is made of. */
const answer = [
  "### What was found",
  "- [x] Looked it up",
  "- [ ] Told somebody",
  "  - first, because of `connectTimeoutMilliseconds`",
  "    1. and under it",
  "",
  "```go",
  'func main() { fmt.Println("ready", 42) } // of a kind',
  `const long = "${"x".repeat(300)}"`,
  "```",
  "",
  "| name | meaning |",
  "|---|---|",
  "| Payments | takes the money of people, and gives some of it back, which is a longer text than fits on a line |",
  "",
  `| ${columns.join(" | ")} |`,
  `|${"---|".repeat(columns.length)}`,
  `| ${columns.map((_, column) => (column === 3 ? "a".repeat(80) : `value ${column}`)).join(" | ")} |`,
  "",
  `A word of no end: ${"endless".repeat(40)}`,
  "",
  "![a picture](https://example.org/secret.png) and [a page](https://example.org/page)",
].join("\n");

/** Parts of an answer that overflow it, or scroll although they are no code. */
const beyond = (answered: Locator) =>
  answered.evaluate((root) =>
    [root, ...root.querySelectorAll("*")]
      .filter((element) => !element.closest("pre") && !element.closest("thead, .sr-only") && element.clientWidth > 0)
      .filter((element) => element.scrollWidth > element.clientWidth + 1)
      .map((element) => element.outerHTML.slice(0, 160)),
  );

/** Which tables are read from top to bottom, row by row. */
const stacked = (tables: Locator) =>
  tables.evaluateAll((all) => all.map((table) => table instanceof HTMLElement && "stacked" in table.dataset));

test("Answers and pages have tables that fit, code in colours, and tasks that are named", async ({ visit }) => {
  const here = await visit();
  const { page } = here;
  const chat = await Chat.open(page);
  await chat.perform(`text=${JSON.stringify(answer)}`);
  await chat.says("a picture");
  await chat.idle();
  const answered = chat.answers.last();
  const tables = answered.getByTestId("table");
  await answered.locator(".code-keyword", { hasText: "func" }).waitFor();
  expect(await stacked(tables)).toEqual([false, true]);
  expect(await beyond(answered)).toEqual([]);
  expect(await answered.getByRole("checkbox", { name: "Done" }).isDisabled()).toBe(true);
  expect(await tables.last().getByRole("cell").count()).toBe(columns.length);
  await here.look("rendering-tables");
  await answered.getByTestId("code-block").first().scrollIntoViewIfNeeded();
  await here.look("rendering");
  await resize(page, phone);
  await answered.locator('[data-testid="table"][data-stacked]').nth(0).waitFor();
  expect(await beyond(answered)).toEqual([]);
  await here.picture("rendering-phone");

  // The heading is where the page begins, also when tables above it have become higher.
  await page.goto("/docs/concepts/proposals-and-approval#statuses");
  const heading = page.locator('[id="statuses"]:focus');
  await heading.waitFor();
  await page.locator('[data-testid="doc-content"] [data-testid="table"]').first().waitFor();
  const below = await heading.evaluate(
    (element) =>
      element.getBoundingClientRect().top -
      (element.closest('[data-testid="doc-page"]')?.getBoundingClientRect().top ?? 0),
  );
  expect(below).toBeGreaterThanOrEqual(0);
  expect(below).toBeLessThan(120);
  await here.picture("rendering-docs-phone");
});
