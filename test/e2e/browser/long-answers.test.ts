import type { Page } from "playwright-core";
import { expect } from "vitest";
import { busyTasks } from "./busy";
import { Chat } from "./chat";
import { atOnce, halves, inLetters, writeTwice } from "./longanswer";
import { scripted as test } from "./test";
import { go } from "./visit";

/** In ms of a processor's time, of which some goes to whatever else it does meanwhile. */
const most = 100;

const log = (page: Page) => page.getByTestId("message-list");

/** How many of something are drawn of the last answer. */
const drawn = (chat: Chat, selector: string) => chat.answers.last().locator(selector).count();

async function written(chat: Chat, selector: string, count: number): Promise<void> {
  await expect.poll(() => drawn(chat, selector)).toBe(count);
}

const fromEnd = (page: Page) => log(page).evaluate((it) => Math.abs(it.scrollHeight - it.scrollTop - it.clientHeight));

const top = (chat: Chat) => chat.answers.last().evaluate((it) => it.getBoundingClientRect().top);

test("A long answer is whole, however it comes, and no task keeps the page from answering", async ({
  visit,
  browser,
}) => {
  const here = await visit();
  const { page } = here;
  let chat = await Chat.open(page);
  const longest: Record<string, number> = {};
  const time = async (name: string, act: () => Promise<unknown>) => {
    const [first = 0] = await busyTasks(browser, page, act);
    longest[name] = Math.round(first);
  };
  await time("mixed, at once", async () => {
    await chat.perform(writeTwice(halves.mixed, atOnce));
    await written(chat, "h3", 62);
    await chat.idle();
  });
  expect(await drawn(chat, "table")).toBe(62);
  expect(await drawn(chat, "pre")).toBe(62);
  await page.waitForURL(/\/chat\/[\w-]{8,}/);
  const address = new URL(page.url()).pathname;

  // The copy holds the whole answer.
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await chat.answers.last().getByTestId("copy-answer").click();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied.trim()).toBe((halves.mixed + halves.mixed).trim());

  await go(page, "/catalog/systems");
  await page.getByTestId("systems-page").waitFor();
  await time("mixed, opened", async () => {
    await go(page, address);
    await written(chat, "h3", 62);
  });
  await expect.poll(() => fromEnd(page)).toBeLessThan(3);

  // A reader in the middle of it comes back to there.
  await log(page).evaluate((it) => (it.scrollTop = it.scrollHeight / 2));
  await page.getByRole("button", { name: "Latest" }).waitFor();
  const before = await top(chat);
  await go(page, "/catalog/systems");
  await page.getByTestId("systems-page").waitFor();
  await go(page, address);
  await written(chat, "h3", 62);
  expect(Math.abs((await top(chat)) - before)).toBeLessThan(3);
  await page.reload();
  await written(chat, "h3", 62);
  await expect.poll(async () => Math.abs((await top(chat)) - before)).toBeLessThan(3);

  for (const [shape, selector, count] of [
    ["table", "tr", 2 * 422 - 1],
    ["list", "li", 540],
    ["short", "p", 2_400],
  ] as const) {
    chat = await Chat.open(page);
    await time(`${shape}, at once`, async () => {
      await chat.perform(writeTwice(halves[shape], atOnce));
      await written(chat, selector, count);
      await chat.idle();
    });
  }
  chat = await Chat.open(page);
  await time("table, in letters", async () => {
    await chat.perform(writeTwice(halves.table, inLetters));
    await written(chat, "tr", 2 * 422 - 1);
    await chat.idle();
  });
  expect(await chat.answers.last().getByRole("table").count()).toBe(1);
  console.log(`longest tasks, ms of a processor: ${JSON.stringify(longest)}`);
  expect(Object.entries(longest).filter(([, took]) => took > most)).toEqual([]);
});
