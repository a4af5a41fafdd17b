import type { Page } from "playwright-core";
import { expect } from "vitest";
import { Chat } from "./chat";
import { scripted as test } from "./test";

const count = 2_000;

/** Puts messages before those of a chat, of very different heights. */
const history = (conversation: string) => `
  INSERT INTO ai_messages (position, conversation_id, id, turn_id, role, content, parts, metadata) OVERRIDING SYSTEM VALUE
  SELECT n - 100000, '${conversation}', 'm' || n, gen_random_uuid(), CASE WHEN n % 2 = 0 THEN 'assistant' ELSE 'user' END,
    'Message ' || n || ' of many',
    jsonb_build_array(jsonb_build_object('type', 'text', 'state', 'done', 'text', 'Message ' || n || ' of many, with **words**.' || CASE
      WHEN n % 60 = 0 THEN repeat(E'\\n\\nA paragraph of a long answer, with **words** in it.', 250)
      WHEN n % 14 = 0 THEN E'\\n\\n\`\`\`go\\n' || repeat(E'func main() { fmt.Println("ready") }\\n', n % 23) || E'\`\`\`\\n'
      WHEN n % 10 = 0 THEN E'\\n\\n| name | value |\\n|---|---|\\n' || repeat(E'| one | two |\\n', n % 17)
      ELSE repeat(' And more of it.', n % 61) END)), '{"status": "done"}'
  FROM generate_series(1, ${count}) n`;

const message = (page: Page, n: number) => page.locator(`[data-message="m${n}"]`);

/** Where a message begins, below the upper edge of the list; the list has come to rest. */
async function below(page: Page, n: number): Promise<number> {
  await settled(page);
  return message(page, n).evaluate(
    (it) => it.getBoundingClientRect().top - (it.closest("[role=log]")?.getBoundingClientRect().top ?? 0),
  );
}

/** The number of the first message that begins below the upper edge of the list. */
const firstSeen = (page: Page): Promise<number> =>
  page.locator("[data-message]").evaluateAll((all) => {
    const edge = all[0]?.closest("[role=log]")?.getBoundingClientRect().top ?? 0;
    const seen = all.find((each) => each.getBoundingClientRect().top > edge);
    return Number(seen?.getAttribute("data-message")?.slice(1));
  });

/** Notes whatever moves what is seen first while nobody scrolls, frame by frame, just before each is drawn. */
const watchJumps = () => {
  const log = document.querySelector<HTMLElement>("[role=log]")!;
  const tick = document.body.appendChild(document.createElement("div"));
  tick.style.cssText = "position: fixed; width: 1px; visibility: hidden";
  const jumps: string[] = [];
  let push = 0;
  let seen: { element: Element; top: number } | undefined;
  // The page's own observer runs first, as it was registered first.
  new ResizeObserver(() => {
    const moved = seen?.element.isConnected ? seen.element.getBoundingClientRect().top - seen.top : 0;
    if (Math.abs(moved) > 1.5)
      jumps.push(`${seen?.element.closest("[data-message]")?.getAttribute("data-message")} by ${moved}`);
    log.scrollTop += push;
    push = 0;
    const edge = log.getBoundingClientRect().top;
    const first = (all: NodeListOf<Element> | undefined) =>
      [...(all ?? [])].find((each) => each.getBoundingClientRect().bottom > edge);
    // A long answer may grow at its beginning, above what is read of it.
    const shown = first(log.querySelectorAll("[data-message]"));
    const element = first(shown?.querySelectorAll("p, li, tr, pre")) ?? shown;
    seen = element && { element, top: element.getBoundingClientRect().top };
  }).observe(tick);
  const frame = (n: number) => {
    tick.style.height = `${1 + (n % 2)}px`;
    requestAnimationFrame(() => frame(n + 1));
  };
  frame(0);
  Object.assign(window, { jumps, push: (pixels: number) => void (push += pixels) });
};

interface Watched {
  jumps: string[];
  push: (pixels: number) => void;
}

/** Draws frame by frame until nothing is fetched or drawn any more. */
async function settled(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const log = document.querySelector("[role=log]");
    const now = `${log?.scrollHeight} ${document.querySelectorAll("[data-message]").length}`;
    const marks = window as { seen?: string; times?: number };
    marks.times = marks.seen === now ? (marks.times ?? 0) + 1 : 0;
    marks.seen = now;
    return marks.times > 20 && !document.querySelector('[data-testid="more-messages"][aria-busy="true"]');
  });
}

test("A chat of 2,000 messages shows its end, and what was said before as somebody scrolls, which stays where it is", async ({
  visit,
  product,
}) => {
  const here = await visit();
  const { page } = here;
  const chat = await Chat.open(page);
  await chat.perform('text="The newest answer."');
  await chat.says("The newest answer.");
  await chat.idle();
  const address = page.url();
  await product.query(history(new URL(address).pathname.split("/").at(-1) ?? ""));
  await page.reload();
  await message(page, 1990).waitFor();
  await chat.says("The newest answer.");
  const messages = page.locator("[data-message]");
  expect(await messages.count()).toBeLessThan(60);
  await here.picture("long-chat");

  await settled(page);
  await page.evaluate(watchJumps);
  const scroll = async (times: number, pixels: number) => {
    for (let n = 0; n < times; n++) {
      await page.evaluate((by) => (window as unknown as Watched).push(by), pixels);
      await page.evaluate(() => new Promise(requestAnimationFrame));
    }
    await settled(page);
  };
  await scroll(20, -1200);
  expect(await messages.first().getAttribute("data-message")).not.toBe("m1971");
  await scroll(8, 900);
  // How far that leads depends on how soon the messages further up come.
  do await scroll(4, -1500);
  while ((await firstSeen(page)) >= 1_900);
  expect(await page.evaluate(() => (window as unknown as Watched).jumps)).toEqual([]);
  expect(await messages.count()).toBeLessThanOrEqual(150);

  // A reader who scrolled on, or came from another page, stays in place.
  const n = await firstSeen(page);
  const top = await below(page, n);
  await page.reload();
  await message(page, n).waitFor();
  expect(Math.abs((await below(page, n)) - top)).toBeLessThan(3);
  await page.getByTestId("nav-catalog").click();
  await page.getByTestId("systems-page").waitFor();
  await page.goBack();
  await message(page, n).waitFor();
  expect(Math.abs((await below(page, n)) - top)).toBeLessThan(3);

  // The end is there at once, and what is sent stands there.
  await page.getByRole("button", { name: "Latest" }).click();
  await chat.says("The newest answer.");
  await chat.ask('script: text="And one more."');
  await chat.says("And one more.");
  await chat.idle();

  // A message is found however long ago it was said.
  await page.goto(`${address}?message=m120`);
  await page.locator('[data-message="m120"]:focus').waitFor();
  expect(Math.abs((await below(page, 120)) - 16)).toBeLessThan(3);
  expect(await messages.count()).toBeLessThanOrEqual(150);
  await here.picture("long-chat-found");
  // By key, which keeps the focus.
  await page.getByTestId("more-messages").first().focus();
  const before = await messages.first().getAttribute("data-message");
  await page.keyboard.press("Enter");
  await page.waitForFunction(
    (was) => document.querySelector("[data-message]")?.getAttribute("data-message") !== was,
    before,
  );
  await page.locator('[data-testid="more-messages"]:focus').waitFor();
  await page.getByRole("button", { name: "Latest" }).click();
  await chat.says("And one more.");
});
