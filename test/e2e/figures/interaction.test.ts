import { loadavg } from "node:os";
import type { Browser, Page } from "playwright-core";
import { busyTasks } from "../browser/busy";
import { Chat } from "../browser/chat";
import { serve, systemId } from "../browser/healthdata";
import { atOnce, halves, inLetters, writeTwice } from "../browser/longanswer";
import { scriptedWith } from "../browser/test";
import { go } from "../browser/visit";

const test = scriptedWith({ COUNTERSIGN_DEMO_TOKEN_DELAY: "2ms", COUNTERSIGN_DEMO_FIRST_DELAY: "1ms" });

const messages = 2_000;
const systems = 10_000;

const history = (conversation: string) => `
  INSERT INTO ai_messages (position, conversation_id, id, turn_id, role, content, parts, metadata) OVERRIDING SYSTEM VALUE
  SELECT n - 100000, '${conversation}', 'm' || n, gen_random_uuid(), CASE WHEN n % 2 = 0 THEN 'assistant' ELSE 'user' END, 'Message ' || n,
    jsonb_build_array(jsonb_build_object('type', 'text', 'state', 'done', 'text', 'Message ' || n || ', with **words**.' || CASE
      WHEN n % 14 = 0 THEN E'\\n\\n\`\`\`go\\n' || repeat(E'func main() { fmt.Println("ready") }\\n', n % 23) || E'\`\`\`\\n'
      WHEN n % 10 = 0 THEN E'\\n\\n| name | value |\\n|---|---|\\n' || repeat(E'| one | two |\\n', n % 17)
      ELSE repeat(' And more of it.', n % 61) END)), '{"status": "done"}'
  FROM generate_series(1, ${messages}) n`;

const catalog = `
  INSERT INTO catalog_systems (id, name, name_key, description, metadata, tags)
  SELECT gen_random_uuid(), 'System ' || lpad(i::text, 6, '0'), 'system ' || lpad(i::text, 6, '0'),
    'Takes payments, number ' || i, '{}', ARRAY['t' || (i % 50)]
  FROM generate_series(1, ${systems}) i`;

interface Noted {
  tasks: number[];
  events: number[];
}

/** Notes tasks of 50 ms and more, and how long each key and click waited until what it did was drawn, from 16 ms. */
const note = () => {
  const noted: Noted = { tasks: [], events: [] };
  Object.assign(window, { noted });
  new PerformanceObserver((list) => noted.tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({
    type: "longtask",
  });
  new PerformanceObserver((list) => noted.events.push(...list.getEntries().map(({ duration }) => duration))).observe({
    type: "event",
    durationThreshold: 16,
  } as PerformanceObserverInit);
};

/** Draws frame by frame until nothing comes any more. */
const settled = (page: Page) =>
  page.waitForFunction(() => {
    const marks = window as { height?: number; times?: number };
    const height = document.querySelector("[role=log]")?.scrollHeight;
    marks.times = marks.height === height ? (marks.times ?? 0) + 1 : 0;
    marks.height = height;
    return marks.times > 20;
  });

const rows: string[] = [];

const most = (all: number[]) => (all.length === 0 ? "under the threshold" : Math.max(...all).toFixed(0));

/** Does something, and writes down the longest task and the slowest event in it. */
async function figureOf(browser: Browser, page: Page, name: string, act: () => Promise<unknown>): Promise<void> {
  await page.evaluate(() => Object.assign((window as unknown as { noted: Noted }).noted, { tasks: [], events: [] }));
  const begun = performance.now();
  let took = 0;
  const busy = await busyTasks(browser, page, async () => {
    await act();
    took = performance.now() - begun;
  });
  // The last drawing is reported in the frame after it.
  await page.evaluate(() => new Promise((done) => setTimeout(done, 200)));
  const { tasks, events } = await page.evaluate(() => (window as unknown as { noted: Noted }).noted);
  const over = busy.filter((time) => time > 50).length;
  rows.push(
    `| ${name} | ${most(events)} | ${most(busy)} | ${over} | ${most(tasks)} | ${tasks.length} | ${took.toFixed(0)} |`,
  );
}

test("figures of a browser", async ({ visit, product, browser }) => {
  const here = await visit();
  const { page } = here;
  const figure = (of: Page, name: string, act: () => Promise<unknown>) => figureOf(browser, of, name, act);
  await page.addInitScript(note);
  const load = loadavg()[0]?.toFixed(1);
  const chat = await Chat.open(page);
  await chat.perform('text="The newest answer."');
  await chat.says("The newest answer.");
  await chat.idle();
  await product.query(history(new URL(page.url()).pathname.split("/").at(-1) ?? ""));
  await product.query(catalog);
  const drawn = page.locator("[data-message]");

  await page.goto("/chat");
  await page.getByTestId("conversation-row").first().waitFor();
  await figure(page, "open a chat of 2,000 messages", async () => {
    await page.getByTestId("conversation-row").first().getByRole("link").click();
    await page.locator('[data-message="m2000"]').waitFor();
  });
  const typing = () => chat.composer.pressSequentially("What happened to the payments of last night?");
  await figure(page, "type 44 letters in it", typing);
  await figure(page, "scroll up by 150 screens", async () => {
    await page.getByTestId("message-list").hover();
    for (let n = 0; n < 150; n++) {
      await page.mouse.wheel(0, -700);
      await page.evaluate(() => new Promise(requestAnimationFrame));
    }
  });
  await figure(page, `type there, with ${await drawn.count()} messages drawn`, typing);
  await figure(page, "go to the end", async () => {
    await page.getByRole("button", { name: "Latest" }).click();
    await chat.says("The newest answer.");
  });
  await figure(page, "go to message 100 by its address", async () => {
    await page.goto(`${page.url().split("?")[0]}?message=m100`);
    await page.locator('[data-message="m100"]:focus').waitFor();
  });

  for (const [shape, half] of Object.entries(halves)) {
    for (const [how, pace] of [
      ["while it is written", inLetters],
      ["that comes at once", atOnce],
    ] as const) {
      await Chat.open(page);
      const size = `${Math.round((2 * half.length) / 1_000)} kB`;
      await figure(page, `read an answer of ${size} (${shape}) ${how}`, async () => {
        await chat.perform(writeTwice(half, pace));
        await page.getByTestId("copy-answer").waitFor();
        await chat.idle();
      });
    }
    await page.waitForURL(/\/chat\/[\w-]{8,}/);
    const address = new URL(page.url()).pathname;
    await go(page, "/catalog/systems");
    await page.getByTestId("systems-page").waitFor();
    await figure(page, `open that answer (${shape})`, async () => {
      await go(page, address);
      await page.getByTestId("copy-answer").waitFor();
      await settled(page);
    });
  }
  await figure(page, "type below it", typing);

  await page.goto("/catalog/systems");
  await page.getByText("System 000001").first().waitFor();
  await figure(page, "scroll through 10,000 systems, as far as 150 screens", async () => {
    await page.getByTestId("systems-page").hover();
    for (let n = 0; n < 150; n++) {
      await page.mouse.wheel(0, 700);
      await page.evaluate(() => new Promise(requestAnimationFrame));
    }
  });
  await figure(page, "search in 10,000 systems", async () => {
    await page.getByTestId("system-search").pressSequentially("009876");
    await page.getByText("System 009876").first().waitFor();
  });

  await serve(page, { systems: 3, points: 10_000 });
  await page.goto(`/health/systems/${systemId}`);
  await page.getByTestId("plot").locator("canvas").waitFor();
  const charts = () =>
    page.evaluate(() => performance.getEntriesByName("health-chart").map(({ duration }) => duration));
  // The first one also compiles what draws it; another range draws as much again.
  const first = (await charts()).length;
  await figure(page, "choose another range of a chart of 10,000 points", async () => {
    await page.getByTestId("range").getByText("7 days").click();
    await page.waitForFunction((known) => performance.getEntriesByName("health-chart").length > known, first);
  });
  const drawing = (await charts()).map((took) => took.toFixed(0)).join(", ");

  console.log(
    [
      `load ${load} at the start, ${loadavg()[0]?.toFixed(1)} at the end`,
      "| what is done | slowest event until it is drawn, ms | longest task, ms of a processor | over 50 | longest task, ms on the clock | over 50 | all of it, ms |",
      "|---|--:|--:|--:|--:|--:|--:|",
      ...rows,
      `a chart of 10,000 points was drawn in ${drawing} ms (goal 100)`,
    ].join("\n"),
  );
});
