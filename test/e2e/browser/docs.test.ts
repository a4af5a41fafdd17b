import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { Chat } from "./chat";
import { test } from "./test";
import { go, phone } from "./visit";

/** Where the top of an element is in the window. */
const top = (page: Page, id: string) =>
  page.locator(`[id="${id}"]`).evaluate((element) => element.getBoundingClientRect().top);

describe("The documentation in the app", () => {
  test("is found by a question, opens at the section, and can be used with keys alone", async ({ visit }) => {
    const here = await visit();
    const { page } = here;
    await page.goto("/chat");
    await page.getByTestId("composer").waitFor();
    await page.getByTestId("composer").blur();
    await page.keyboard.press("g");
    await page.keyboard.press("d");
    await page.getByTestId("docs-page").waitFor();
    await expect.poll(() => page.getByTestId("doc-link").count()).toBeGreaterThan(50);
    await here.look("docs");

    await page.keyboard.press("/");
    await page.getByTestId("docs-search").and(page.locator(":focus")).waitFor();
    await page.keyboard.type("how long does a proposal wait");
    const first = page.getByTestId("doc-hit").first();
    await first.getByText("How long a proposal is valid before it expires").waitFor();
    await page.waitForURL(/query=/);
    await here.look("docs-found");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowUp");
    await first.and(page.locator(":focus")).waitFor();
    await page.keyboard.press("Enter");

    const anchor = "how-long-a-proposal-is-valid-before-it-expires";
    await page.waitForURL(`**/docs/concepts/proposals-and-approval#${anchor}`);
    await page.locator(`[id="${anchor}"]:focus`).waitFor();
    expect(await top(page, anchor)).toBeGreaterThanOrEqual(0);
    expect(await top(page, anchor)).toBeLessThan(200);
    expect(await page.getByTestId("docs-nav").locator("[aria-current=page]").innerText()).toBe(
      "Proposals and approval",
    );
    await here.look("docs-page");
    await here.shrink("docs-page-narrow");

    // A link of a page leads to another one, and Back returns to what was read.
    await page.getByTestId("doc-content").getByRole("link", { name: "plan", exact: true }).first().click();
    await page.getByTestId("doc-page").getByRole("heading", { level: 1, name: "Plans" }).waitFor();
    await page.goBack();
    await page.getByTestId("doc-page").getByRole("heading", { level: 1, name: "Proposals and approval" }).waitFor();
  });

  test("opens from the citation of an answer, at the section", async ({ visit }) => {
    const here = await visit();
    const { page } = here;
    const chat = await Chat.open(page);
    await chat.ask("How does propose and apply work?");
    const citation = chat.answers.last().getByRole("link", { name: "Propose, decide, apply" });
    await citation.waitFor();
    await chat.idle();
    await here.look("docs-citation");
    const documents: string[] = [];
    page.on("request", (request) => request.resourceType() === "document" && documents.push(request.url()));
    await citation.click();
    await page.locator('[id="propose-decide-apply"]:focus').waitFor();
    expect(new URL(page.url()).pathname).toBe("/docs/concepts/proposals-and-approval");
    expect(documents).toEqual([]);
    await page.goBack();
    await chat.answers.last().waitFor();
  });

  test("opens at the section from an address, and says when there is no such page", async ({ visit }) => {
    const here = await visit();
    const { page } = here;
    await page.goto("/docs/operations/troubleshooting#a-card-cannot-be-applied");
    await page.locator('[id="a-card-cannot-be-applied"]:focus').waitFor();
    expect(await top(page, "a-card-cannot-be-applied")).toBeLessThan(200);
    await page.getByTestId("doc-sections").getByRole("link", { name: "A date is refused" }).click();
    await page.locator('[id="a-date-is-refused"]:focus').waitFor();
    expect(new URL(page.url()).hash).toBe("#a-date-is-refused");

    here.expects(/404/);
    await page.goto("/docs/concepts/nonsense");
    await page.getByTestId("missing").getByRole("heading", { name: "There is no such page" }).waitFor();
    await page.getByTestId("go-on").click();
    await page.getByTestId("docs-page").waitFor();
  });

  test("shows every page without an edge to scroll to, on a phone", async ({ visit, administrator }) => {
    const here = await visit(undefined, { viewport: phone, hasTouch: true, colorScheme: "dark" });
    const { page } = here;
    const { pages } = await administrator.get<{ pages: { slug: string; title: string }[] }>("/api/docs");
    await page.goto("/docs");
    await page.getByTestId("docs-page").waitFor();
    await here.picture("docs-phone-dark");
    const wide: string[] = [];
    for (const { slug, title } of pages) {
      await go(page, `/docs/${slug}`);
      await page.getByTestId("doc-page").getByRole("heading", { level: 1, name: title, exact: true }).waitFor();
      await page.locator('[data-testid="doc-content"] .manual').waitFor();
      const beyond = await page.evaluate(() =>
        [document.documentElement, ...document.querySelectorAll("main, .manual, .manual *")]
          .filter((element) => element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0)
          .filter(
            (element) => getComputedStyle(element).overflowX !== "visible" || element === document.documentElement,
          )
          .map((element) => element.outerHTML.slice(0, 120)),
      );
      wide.push(...beyond.map((html) => `${slug}: ${html}`));
    }
    expect(wide).toEqual([]);
    await here.picture("docs-page-phone-dark");
  });
});
