import { describe, expect } from "vitest";
import type { Person } from "../stack/person";
import { Card, Chat } from "./chat";
import { unique } from "./names";
import { scripted as test } from "./test";
import { phone, resize } from "./visit";

async function addSystem(person: Person, name: string): Promise<void> {
  await person.post("/api/catalog/systems", { name, description: "Takes orders from the shop" });
}

async function systems(person: Person, query: string): Promise<string[]> {
  const found = await person.get<{ systems: { name: string }[] }>(
    `/api/catalog/systems?query=${encodeURIComponent(query)}`,
  );
  return found.systems.map(({ name }) => name);
}

describe("A card", () => {
  test("shows what an update would change", async ({ visit, administrator }) => {
    const name = unique("Orders");
    await addSystem(administrator, name);
    const here = await visit();
    const chat = await Chat.open(here.page);
    await chat.ask(`Change the description of ${name} to Takes orders from the shop and the app`);
    const card = await chat.card();
    expect(await card.element.getByTestId("diff").locator("del").innerText()).toBe("Takes orders from the shop");
    expect(await card.element.getByTestId("diff").locator("ins").innerText()).toBe(
      "Takes orders from the shop and the app",
    );
    await here.picture("card-diff");
    // On a narrow screen, where the two do not fit on one line, the arrow goes with what it points at.
    await resize(here.page, phone);
    const [before = 0, arrow = 0, after = 0] = await card.element
      .getByTestId("diff")
      .locator("ins")
      .evaluate((ins) =>
        [ins.closest("dd")?.querySelector("del"), ins.previousElementSibling, ins].map(
          (element) => element?.getBoundingClientRect().top,
        ),
      );
    expect(after).toBeGreaterThan(before + 10);
    expect(Math.abs(arrow - after)).toBeLessThan(5);
    await here.picture("card-diff-phone");
    await card.apply.click();
    await card.outcome.getByText("Applied").waitFor();
    await chat.answers.nth(1).getByText("applied and live").waitFor();
    const [system] = (
      await administrator.get<{ systems: { description: string }[] }>(
        `/api/catalog/systems?query=${encodeURIComponent(name)}`,
      )
    ).systems;
    expect(system?.description).toBe("Takes orders from the shop and the app");
  });

  test("asks before a deletion, even in auto mode, and a decline changes nothing", async ({ visit, administrator }) => {
    const name = unique("Legacy");
    const here = await visit();
    const chat = await Chat.open(here.page);
    await chat.choose("auto");
    await chat.ask(`Add a system called ${name}`);
    await here.page.getByTestId("applied-card").getByText(name).first().waitFor();
    await chat.idle();
    await here.picture("card-automatic");
    expect(await systems(administrator, name)).toEqual([name]);

    await chat.ask(`Delete the system ${name}`);
    const card = await chat.card();
    await card.element.getByText("destructive").waitFor();
    await here.picture("card-destructive");
    await card.decline.click();
    await card.outcome.getByText("Declined by Administrator").waitFor();
    await chat.answers.nth(2).getByText("left everything as it was").waitFor();
    expect(await systems(administrator, name)).toEqual([name]);
    await here.picture("card-declined");
  });

  test("can be decided in the inbox, and the chat in the other tab follows", async ({ visit, administrator }) => {
    const name = unique("Inbox");
    const here = await visit();
    const chat = await Chat.open(here.page);
    await chat.ask(`Add a system called ${name}`);
    await chat.card();
    const inbox = await here.tab("/proposals");
    const waiting = new Card(inbox.getByTestId("proposal-card").filter({ hasText: name }));
    await waiting.pending();
    await here.picture("inbox", inbox);
    await waiting.apply.click();
    await inbox.getByTestId("toast").waitFor();
    expect(await systems(administrator, name)).toEqual([name]);
    await here.page.bringToFront();
    await chat.cards.last().getByTestId("proposal-outcome").getByText("Applied").waitFor();
    await chat.answers.nth(1).getByText("applied and live").waitFor();
    await inbox.getByText("Applied", { exact: true }).first().click();
    await inbox.getByTestId("proposal-card").filter({ hasText: name }).getByTestId("proposal-outcome").waitFor();
    await here.picture("inbox-applied", inbox);
  });

  test("is refused when somebody has changed the system meanwhile", async ({ visit, administrator }) => {
    const name = unique("Drift");
    await addSystem(administrator, name);
    const here = await visit();
    const chat = await Chat.open(here.page);
    await chat.ask(`Change the description of ${name} to From the chat`);
    const card = await chat.card();
    const [system] = (
      await administrator.get<{ systems: { id: string }[] }>(`/api/catalog/systems?query=${encodeURIComponent(name)}`)
    ).systems;
    await administrator.patch(`/api/catalog/systems/${system?.id}`, { description: "From somebody else" });
    here.expects(/status of 409/);
    await card.apply.click();
    await card.element.getByTestId("drift").getByText("From somebody else").waitFor();
    const [kept] = (
      await administrator.get<{ systems: { description: string }[] }>(
        `/api/catalog/systems?query=${encodeURIComponent(name)}`,
      )
    ).systems;
    expect(kept?.description).toBe("From somebody else");
    await here.picture("card-drift");
  });
});

describe("An answer", () => {
  test("goes on where it was after a reload, in a second tab, and can be stopped there", async ({ visit }) => {
    const here = await visit();
    const chat = await Chat.open(here.page);
    await chat.perform('text="Beginning of the story." tokens=1500 delay_token=40ms');
    await chat.writing("Beginning of the story.");
    await here.page.reload();
    await chat.writing("Beginning of the story.");
    const other = new Chat(await here.tab(here.page.url()));
    await other.writing("Beginning of the story.");
    const length = (await other.answers.innerText()).length;
    await other.page.waitForFunction(
      (least) => (document.querySelector('[data-testid="assistant-message"]')?.textContent?.length ?? 0) > least,
      length,
    );
    await other.stop.click();
    for (const tab of [other, chat]) {
      await tab.page.bringToFront();
      await tab.answers.getByTestId("stopped-mark").waitFor();
      await tab.idle();
    }
    await here.picture("chat-stopped");
    expect(await chat.answers.count()).toBe(1);
    const text = await chat.answers.innerText();
    expect(text.match(/Beginning of the story\./g)).toHaveLength(1);
    expect(text).toBe(await other.answers.innerText());
  });

  test("says in words what the provider refused", async ({ visit }) => {
    const here = await visit();
    const chat = await Chat.open(here.page);
    await chat.perform("fault=invalid_key@*");
    const error = chat.answers.getByTestId("error-block");
    await error.waitFor();
    expect(await error.innerText()).toContain("Incorrect API key provided");
    expect(await chat.answers.innerText().then((text) => text.match(/Incorrect API key/g))).toHaveLength(1);
    await here.picture("chat-error");
  });

  test("shows tools, reasoning and a retry", async ({ visit }) => {
    const here = await visit();
    const chat = await Chat.open(here.page);
    await chat.perform(
      'reasoning=30 r1.text="Let me look." r1.tool=catalog.listSystems r1.tool=ai.getDoc r1.input={"slug":"no/page"} r2.tool=ai.listDocs ' +
        'text="**Done.** See `listDocs`:\\n\\n| page | about |\\n|---|---|\\n| one | two |\\n\\n- first\\n- second" fault=429@3 retry_after=5s',
    );
    await here.page
      .getByTestId("retry-countdown")
      .getByText(/retry in [1-5] s, attempt 2/)
      .waitFor();
    expect(await chat.answers.getByTestId("thinking").innerText()).toBe("Working… (step 3)");
    await here.picture("chat-retry");
    await chat.answers.getByRole("table").waitFor();
    await chat.idle();
    await chat.answers.getByTestId("tool-line").first().getByRole("button").click();
    await chat.answers.getByText("Thoughts").first().click();
    await here.picture("chat-tools");
    expect(await chat.answers.getByTestId("tool-line").count()).toBe(3);
    expect(await here.page.getByTestId("chat-notice").count()).toBe(0);

    // Another answer takes the place of this one.
    const turn = await chat.answers.getByTestId("temporal-link").getAttribute("href");
    await chat.answers.getByTestId("repeat").click();
    await chat.answers.locator(`[data-testid="temporal-link"]:not([href="${turn}"])`).waitFor();
    await chat.answers.getByRole("table").waitFor();
    expect(await chat.questions.count()).toBe(1);
    expect(await chat.answers.count()).toBe(1);
  });
});
