import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { Gate } from "../clients/gate";
import { Installation, type Product } from "../stack/installation";
import type { Person } from "../stack/person";
import type { RequestBudget } from "./budget";
import { Chat } from "./chat";
import { unique } from "./names";
import { test as base } from "./test";
import { Visit } from "./visit";

/** Processes whose API can die while the model, which is a process of its own, goes on. */
interface Rig {
  api: Product;
  administrator: Person;
  /** Starts the API again, at the same address. */
  restart: () => Promise<void>;
}

interface Fixtures {
  /** One process for everything, or an API and a worker apart. */
  rig: (apart: boolean, settings?: Record<string, string>) => Promise<Rig>;
  gate: Gate;
}

const test = base.extend<Fixtures>({
  gate: [
    // oxlint-disable-next-line no-empty-pattern
    async ({}, use) => {
      const gate = await Gate.open();
      await use(gate);
      await gate.close();
    },
    { scope: "file" },
  ],
  rig: async ({ gate }, use) => {
    const installations: Installation[] = [];
    await use(async (apart, settings = {}) => {
      const installation = await Installation.create(settings);
      installations.push(installation);
      const role = apart ? "api" : "all";
      const api = await installation.start(role);
      if (apart) await installation.start("worker");
      const administrator = await installation.administrator(api);
      const { connectionId } = await gate.connect(administrator);
      await administrator.put(`/api/ai/connections/${connectionId}/default`, {});
      const { connections } = await administrator.get<{ connections: { id: string }[] }>("/api/ai/connections");
      // The built-in model would die with the process.
      for (const { id } of connections)
        if (id !== connectionId) await administrator.patch(`/api/ai/connections/${id}`, { enabled: false });
      const rig: Rig = {
        api,
        administrator,
        restart: async () => {
          rig.api = await installation.start(role, api.url);
        },
      };
      return rig;
    });
    for (const installation of installations) await installation.stop();
  },
});

/** Some forty seconds of words: longer than any restart. */
const longAnswer = 'text="Once upon a time." tokens=400 delay_token=100ms';

const length = (page: Page) =>
  page.evaluate(() => document.querySelector('[data-testid="assistant-message"]')?.textContent.length ?? 0);

const mark = (page: Page) => page.evaluate(() => void Object.assign(window, { mark: true }));
const isMarked = (page: Page) => page.evaluate(() => "mark" in window);

/** Waits until text goes on, which it has to within some time. */
async function goesOn(page: Page, than: number, within: number, budget: RequestBudget): Promise<void> {
  const since = Date.now();
  await page.waitForFunction(
    (most) => (document.querySelector('[data-testid="assistant-message"]')?.textContent.length ?? 0) > most,
    than,
    { polling: 50 },
  );
  const took = Date.now() - since;
  if (took > within) throw new Error(`the text went on after ${took} ms, of ${within}; the page requested\n${budget}`);
}

/** How soon the text goes on; the worker's part of it, the takeover of a turn whose process died, is bounded elsewhere. */
const soon = 2_000;
const takeover = 3_000;

const harmless =
  /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET|ERR_NETWORK|status of 50[234]/;

async function begin(rig: Rig, open: (person: Person, url: string) => Promise<Visit>) {
  const here = await open(rig.administrator, rig.api.url);
  here.expects(harmless);
  const [budget] = here.budgets;
  if (!budget) throw new Error("the page has no budget");
  const chat = await Chat.open(here.page);
  await chat.perform(longAnswer);
  await chat.writing("Once upon a time.");
  await mark(here.page);
  return { here, budget, chat };
}

// Two at a time, each with processes of its own: they wait for most of their time.
describe.each([
  ["of one process", false],
  ["apart from the worker", true],
])("An API %s", (_, apart) => {
  test.concurrent.for(["kill", "stop"] as const)(
    "that has a %s in mid-answer loses nothing, and no page asks in a loop",
    async (way, { rig, browser }) => {
      const running = await rig(apart);
      const { here, budget, chat } = await begin(running, (person, url) => Visit.begin(browser, url, person));
      const notice = here.page.getByTestId("chat-notice").getByText("Reconnecting");
      await running.api.process[way]();
      await notice.waitFor();
      // Down for longer than the first attempts take.
      await here.page.waitForTimeout(4_000);
      const before = await length(here.page);
      await running.restart();
      await goesOn(here.page, before, apart ? soon : soon + takeover, budget);
      await notice.waitFor({ state: "detached" });
      expect(await here.page.getByTestId("server-notice").count()).toBe(0);
      await chat.writing("Once upon a time.");
      expect(await isMarked(here.page)).toBe(true);
      // It is quiet afterwards too.
      await here.page.waitForTimeout(5_000);
      await chat.stop.click();
      await chat.idle();
      here.keepsBudget();
      expect(budget.count(/\/stream$/)).toBeLessThan(12);
      expect(budget.count(/\/feedback$/)).toBeLessThan(5);
      expect((await chat.answers.innerText()).match(/Once upon a time\./g)).toHaveLength(1);
      expect(here.problems()).toEqual([]);
      await here.end();
    },
  );
});

test.concurrent("Three tabs on one chat, and their one stream of changes, are back after the API was killed", async ({
  rig,
  browser,
}) => {
  const running = await rig(true);
  const { here } = await begin(running, (person, url) => Visit.begin(browser, url, person));
  const tabs = [here.page, await here.tab(here.page.url()), await here.tab("/catalog/systems")];
  await new Chat(tabs[1]!).writing("Once upon a time.");
  await tabs[2]!.getByTestId("systems-page").waitFor();
  await running.api.process.kill();
  for (const tab of tabs.slice(0, 2)) await tab.getByTestId("chat-notice").getByText("Reconnecting").waitFor();
  const before = await length(here.page);
  await running.restart();
  const since = Date.now();
  await Promise.all(tabs.slice(0, 2).map((tab, at) => goesOn(tab, before, soon + 1_000, here.budgets[at]!)));
  // The stream of changes is back: what another person does shows without a read.
  const name = unique("After the restart");
  await running.administrator.post("/api/catalog/systems", { name });
  await tabs[2]!.getByTestId("system-link").filter({ hasText: name }).waitFor();
  expect(Date.now() - since).toBeLessThan(10_000);
  here.keepsBudget();
  expect(here.problems()).toEqual([]);
  await here.end();
});

test.concurrent("An API that stands still is noticed in a chat, and the text goes on when it does", async ({
  rig,
  browser,
}) => {
  const running = await rig(true);
  const { here, budget } = await begin(running, (person, url) => Visit.begin(browser, url, person));
  running.api.process.freeze();
  const frozen = Date.now();
  try {
    await here.page.getByTestId("server-notice").getByText("The server cannot be reached").waitFor();
    expect(Date.now() - frozen).toBeLessThan(12_000);
    await here.page.getByTestId("chat-notice").getByText("Reconnecting").waitFor();
    expect(Date.now() - frozen).toBeLessThan(20_000);
    await here.look("chat-frozen");
    await here.shrink("chat-frozen-phone");
  } finally {
    running.api.process.thaw();
  }
  await goesOn(here.page, await length(here.page), soon + 1_000, budget);
  await here.page.getByTestId("chat-notice").waitFor({ state: "detached" });
  expect(await isMarked(here.page)).toBe(true);
  here.keepsBudget();
  expect(here.problems()).toEqual([]);
  await here.end();
});
