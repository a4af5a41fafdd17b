import type { Page, Route } from "playwright-core";
import { describe, expect } from "vitest";
import { Chat } from "./chat";
import { scripted as test } from "./test";

const mark = (page: Page) => page.evaluate(() => void Object.assign(window, { mark: true }));
const isMarked = (page: Page) => page.evaluate(() => "mark" in window);

const harmless = /ERR_FAILED|ERR_CONNECTION_REFUSED|Failed to (fetch|load)|PartMissing/;

/**
 * A browser that keeps the failure of a module by its address, whatever the one of this machine does: the address
 * fails again and again.
 */
async function sticky(page: Page, file: RegExp, fails: (url: URL, requests: number) => boolean): Promise<URL[]> {
  const requests: URL[] = [];
  const kept = new Set<string>();
  await page.route(file, async (route: Route) => {
    const url = new URL(route.request().url());
    requests.push(url);
    if (kept.has(url.href) || fails(url, requests.length)) {
      kept.add(url.href);
      await route.abort("failed");
    } else await route.continue();
  });
  return requests;
}

describe("A part of the app that could not be loaded", () => {
  test("is loaded under another address, in the same document", async ({ visit }) => {
    const here = await visit();
    here.expects(harmless);
    const { page } = here;
    const chat = await Chat.open(page);
    await chat.composer.fill("Half a thought");
    await mark(page);
    const requests = await sticky(page, /\/assets\/MemoryPage-[^/]*\.js/, (url) => url.search === "");
    await page.getByTestId("nav-memory").click();
    await page.getByTestId("memory-page").waitFor();
    expect(await isMarked(page)).toBe(true);
    expect(requests.at(-1)?.search).toMatch(/^\?retry=\d$/);
    await page.getByTestId("nav-chat").click();
    await expect.poll(() => chat.composer.inputValue()).toBe("Half a thought");
    // It is not loaded again.
    const before = requests.length;
    await page.getByTestId("nav-memory").click();
    await page.getByTestId("memory-page").waitFor();
    expect(requests).toHaveLength(before);
    here.keepsBudget();
  });

  test("has the document loaded again where no address helps, and what was typed is there", async ({ visit }) => {
    const here = await visit();
    here.expects(harmless);
    const { page } = here;
    const chat = await Chat.open(page);
    await chat.composer.fill("Half a thought");
    await mark(page);
    // Every address fails in the first document, and none in the next one.
    let documents = 0;
    page.on("request", (request) => (documents += request.isNavigationRequest() ? 1 : 0));
    await page.route(/\/assets\/MemoryPage-[^/]*\.js/, (route) =>
      documents === 0 ? route.abort("failed") : route.continue(),
    );
    await page.getByTestId("nav-memory").click();
    await page.getByTestId("memory-page").waitFor();
    expect(await isMarked(page)).toBe(false);
    expect(documents).toBe(1);
    await page.getByTestId("nav-chat").click();
    await expect.poll(() => chat.composer.inputValue()).toBe("Half a thought");
  });

  test("is said to be missing, and the document is not loaded again and again", async ({ visit }) => {
    const here = await visit();
    here.expects(harmless);
    const { page } = here;
    await Chat.open(page);
    let documents = 0;
    page.on("request", (request) => (documents += request.isNavigationRequest() ? 1 : 0));
    await sticky(page, /\/assets\/MemoryPage-[^/]*\.js/, () => true);
    await page.getByTestId("nav-memory").click();
    await page.getByText("A part of this page could not be loaded. Reload the page.").waitFor();
    expect(documents).toBe(1);
    await here.look("part-missing");
    await here.shrink("part-missing-phone");
    await page.unrouteAll();
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByTestId("memory-page").waitFor();
  });

  test("waits while a form holds what would be lost", async ({ visit }) => {
    const here = await visit();
    here.expects(harmless);
    const { page } = here;
    await page.goto("/health/import");
    const document = page.getByLabel("Document", { exact: true });
    await document.fill("Half a document");
    await mark(page);
    await sticky(page, /\/assets\/Palette-[^/]*\.js/, () => true);
    await page.keyboard.press("ControlOrMeta+k");
    await page.getByTestId("server-notice").getByText("A part of this page could not be loaded").waitFor();
    expect(await isMarked(page)).toBe(true);
    expect(await document.inputValue()).toBe("Half a document");
    await here.look("part-missing-form");
    await here.shrink("part-missing-form-phone");
    // It comes as soon as it can be had.
    await page.unrouteAll();
    await page.getByTestId("palette").waitFor();
    expect(await page.getByTestId("server-notice").count()).toBe(0);
    expect(await document.inputValue()).toBe("Half a document");
    expect(await isMarked(page)).toBe(true);
  });
});
