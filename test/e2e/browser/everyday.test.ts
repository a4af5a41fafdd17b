import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { Card, Chat } from "./chat";
import { unique } from "./names";
import { Network } from "./network";
import { scripted as test } from "./test";

/** Has the assistant propose a system, and leaves it to be decided about. */
async function proposed(page: Page, name: string): Promise<{ chat: Chat; card: Card }> {
  const chat = await Chat.open(page);
  await chat.perform(`tool=catalog.createSystem input=${JSON.stringify({ name })} text="It waits."`);
  const card = await chat.card();
  await chat.idle();
  return { chat, card };
}

const summaryOf = (name: string) => `Create the system ${name}`;

describe("Ask about this", () => {
  test("stands at memories and proposals, and writes the question without sending it", async ({
    visit,
    administrator,
  }) => {
    const topic = unique("deploy window");
    await administrator.post("/api/ai/memories", { scope: "user", recallHint: topic, content: "Tuesdays.", tags: [] });
    const name = unique("Asked");
    const here = await visit();
    const { page } = here;
    const { chat } = await proposed(page, name);
    const asked = async (text: string) => {
      await page.getByTestId("chat-empty").waitFor();
      await expect.poll(() => chat.composer.inputValue()).toBe(text);
      await chat.composer.fill("");
    };

    await page.goto("/memory");
    const memory = page.getByTestId("memory").filter({ hasText: topic });
    await memory.getByRole("link", { name: `Ask about ${topic}` }).press("Enter");
    await asked(`Tell me about the memory “${topic}”.`);

    await page.goto("/proposals");
    const item = page
      .getByRole("listitem")
      .filter({ has: page.getByTestId("proposal-card").filter({ hasText: name }) });
    await item.getByTestId("ask-about").waitFor();
    await here.look("proposals-ask");
    await here.shrink("proposals-ask-phone");
    await item.getByTestId("ask-about").press("Enter");
    await asked(`Tell me about the proposal “${summaryOf(name)}”.`);
  });
});

describe("The palette", () => {
  test("finds a proposal behind the newest ones on the server, and leads to all that have the words", async ({
    visit,
    administrator,
    product,
  }) => {
    const name = unique("Elderflower");
    const here = await visit();
    const { page } = here;
    await proposed(page, name);
    const { id: me } = await administrator.get<{ id: string }>("/api/me");
    await product.query(`WITH calls AS (
      INSERT INTO ai_tool_calls (id, principal_kind, principal_id, transport, tool_name, effect, args_hash, status)
      SELECT gen_random_uuid(), 'user', '${me}', 'chat', 'catalog.createSystem', 'mutate', '', 'declined'
      FROM generate_series(1, 80) RETURNING id)
      INSERT INTO ai_proposals (id, principal_kind, principal_id, principal_name, tool_name, effect, summary, payload,
        nonce_salt, status, expires_at, finished_at)
      SELECT id, 'user', '${me}', 'Administrator', 'catalog.createSystem', 'mutate', 'Create the system Something else',
        '{}', '', 'declined', now(), now() FROM calls`);

    const searches: URL[] = [];
    page.on("request", (request) => {
      const url = new URL(request.url());
      if (url.pathname === "/api/ai/proposals" && url.searchParams.has("query")) searches.push(url);
    });
    await page.goto("/catalog/systems");
    await page.getByTestId("systems-page").waitFor();
    await page.keyboard.press("Control+k");
    const input = page.getByTestId("palette-input");
    await input.and(page.locator(":focus")).waitFor();
    const items = page.getByTestId("palette-item");
    await page.keyboard.type(name.toLowerCase());
    const found = items.filter({ hasText: "Waiting for you" }).filter({ hasText: name });
    await found.waitFor();
    // Not with each letter, and no more than are shown.
    expect(searches.length).toBeLessThan(name.length / 2);
    expect(searches.every(({ searchParams }) => searchParams.get("limit") === "5")).toBe(true);
    await here.look("palette-proposals");
    const chosen = items.and(page.locator("[data-highlighted]"));
    while (!(await chosen.innerText()).includes("Waiting for you")) await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    const card = new Card(page.getByTestId("proposal-page").getByTestId("proposal-card").filter({ hasText: name }));
    await card.pending();

    await page.keyboard.press("Control+k");
    await input.fill("something else");
    await items.filter({ hasText: "All proposals with “something else”" }).click();
    await page.getByTestId("proposals-page").waitFor();
    expect(await page.getByTestId("proposal-search").inputValue()).toBe("something else");
    await page.getByText("These are the newest 50.").waitFor();
    await page.getByTestId("more-proposals").press("Enter");
    await expect.poll(() => page.getByTestId("proposal-card").count()).toBe(80);
    await page.getByTestId("proposal-search").fill(name);
    await card.element.page().getByTestId("proposal-card").filter({ hasText: name }).waitFor();
    await expect.poll(() => page.getByTestId("proposal-card").count()).toBe(1);
    await page.getByTestId("proposal-search").fill("nothing of this kind");
    await page.getByText("No proposal matches “nothing of this kind”").waitFor();
    await here.look("proposals-search");
    await here.shrink("proposals-search-phone");
  });
});

test("The key d leads to Decline, which takes a second key", async ({ visit, administrator }) => {
  const name = unique("Declined");
  const here = await visit();
  const { page } = here;
  const { chat, card } = await proposed(page, name);
  // In the message box it is a letter.
  await chat.composer.focus();
  await page.keyboard.press("d");
  expect(await chat.composer.inputValue()).toBe("d");
  await chat.composer.fill("");
  await chat.composer.press("Escape");
  await page.keyboard.press("d");
  await card.decline.and(page.locator(":focus")).waitFor();
  expect(await card.element.getAttribute("data-status")).toBe("proposed");
  await page.keyboard.press("Enter");
  await card.outcome.getByText("Declined").first().waitFor();
  await chat.idle();
  const { systems } = await administrator.get<{ systems: unknown[] }>(
    `/api/catalog/systems?query=${encodeURIComponent(name)}`,
  );
  expect(systems).toEqual([]);
});

test("The token of an application that has expired, or soon does, is renewed", async ({
  visit,
  administrator,
  product,
}) => {
  const made = async (words: string, expires: string) => {
    const name = unique(words);
    const { token } = await administrator.post<{ token: string }>("/api/applications", { name, roleIds: [] });
    await product.query(`UPDATE applications SET expires_at = now() + interval '${expires}' WHERE name = '${name}'`);
    return { name, token };
  };
  const expired = await made("Nightly robot", "-1 hour");
  const soon = await made("Weekly robot", "3 days");
  const later = await made("Yearly robot", "300 days");
  const status = async (token: string) =>
    (await fetch(`${product.url}/api/me`, { headers: { authorization: `Bearer ${token}` } })).status;
  expect([await status(expired.token), await status(soon.token)]).toEqual([401, 200]);

  const here = await visit();
  const { page } = here;
  await page.goto("/admin/applications");
  const row = (name: string) => page.getByTestId("row").filter({ hasText: name });
  await row(expired.name).getByText("expired", { exact: true }).waitFor();
  await row(soon.name).getByText("expires soon", { exact: true }).waitFor();
  await row(soon.name).getByTestId("renew-token").waitFor();
  expect(await row(later.name).getByTestId("renew-token").count()).toBe(0);
  await row(later.name).getByTestId("replace-token").waitFor();
  await here.look("applications-expired");
  await here.shrink("applications-expired-phone");

  await row(expired.name)
    .getByRole("button", { name: `Renew the token of ${expired.name}` })
    .press("Enter");
  const dialog = page.getByTestId("confirm-dialog");
  await dialog.getByLabel("Expires").fill("2001-01-01");
  expect(await page.getByTestId("confirm-dialog-confirm").isDisabled()).toBe(true);
  await dialog.getByLabel("Expires").fill("2101-01-01");
  await page.getByTestId("confirm-dialog-confirm").click();
  const renewed = await page.getByTestId("application-token").innerText();
  await page.getByTestId("token-dialog").getByText("Done").click();
  await row(expired.name)
    .getByText(/token expires 1 Jan 2101/)
    .waitFor();
  expect(await row(expired.name).getByText("expired", { exact: true }).count()).toBe(0);
  expect([await status(expired.token), await status(renewed)]).toEqual([401, 200]);
});

describe("What is under way while the page is left", () => {
  test("an edited message is open again with what was typed, and is sent once", async ({ visit }) => {
    const here = await visit();
    const { page } = here;
    here.expects(/ERR_/);
    const chat = await Chat.open(page);
    await chat.perform('text="The first answer."');
    await chat.says("The first answer.");
    await chat.idle();
    const address = page.url();
    const again = 'script: text="The second answer."';
    const box = page.getByTestId("edit-text");
    const network = await Network.of(page);
    await page.getByTestId("edit-message").click();
    await box.fill(again);
    network.freeze();
    await page.getByTestId("edit-save").click();
    await page.getByTestId("chat-notice").getByText("Your message is not delivered yet").waitFor();
    // The page is left, and the request with it is gone.
    await page.goto("about:blank");
    await network.mend();
    await page.goto(address);
    await expect.poll(() => box.inputValue()).toBe(again);
    await page.getByText("This message was not sent").waitFor();
    expect(await chat.composer.inputValue()).toBe("");
    await chat.says("The first answer.");
    await here.look("edit-unsent");

    // In another tab, and after the browser, it is there as well when it is opened.
    const tab = await here.tab(address);
    await tab.getByTestId("edit-message").click();
    expect(await tab.getByTestId("edit-text").inputValue()).toBe(again);
    await tab.close();

    await page.getByTestId("edit-save").press("Enter");
    await chat.says("The second answer.");
    await chat.idle();
    await page.reload();
    await chat.says("The second answer.");
    expect(await chat.questions.count()).toBe(1);
    expect(await box.count()).toBe(0);
    expect(await page.evaluate(() => Object.keys(localStorage).filter((key) => key.endsWith(".edit")))).toEqual([]);
  });

  test("a save that has not arrived is asked about, and one that fails later is told of", async ({
    visit,
    administrator,
  }) => {
    const topic = unique("backup window");
    await administrator.post("/api/ai/memories", { scope: "user", recallHint: topic, content: "Mondays.", tags: [] });
    const always = async () =>
      (
        await administrator.get<{ memories: { recallHint: string; alwaysInject: boolean }[] }>("/api/ai/memories")
      ).memories.find(({ recallHint }) => recallHint === topic)?.alwaysInject;
    const here = await visit();
    const { page } = here;
    here.expects(/status of 412/);
    await page.goto("/memory");
    const row = page.getByTestId("memory").filter({ hasText: topic });
    await row.getByTestId("always-inject").waitFor();
    const network = await Network.of(page);
    network.freeze();
    await row.getByTestId("always-inject").click();
    const asked = page.waitForEvent("dialog");
    await page.close({ runBeforeUnload: true });
    const dialog = await asked;
    expect(dialog.type()).toBe("beforeunload");
    await dialog.dismiss();
    expect(page.isClosed()).toBe(false);
    expect(await always()).toBe(false);
    await network.mend();
    await expect.poll(always).toBe(true);
    await row.getByTestId("always-inject").and(page.locator(":checked")).waitFor();

    // Another page is open by the time in which it is refused.
    const { memories } = await administrator.get<{ memories: { id: string; recallHint: string }[] }>(
      "/api/ai/memories",
    );
    const { id } = memories.find(({ recallHint }) => recallHint === topic) ?? { id: "" };
    await page.route(`**/api/ai/memories/${id}/always-inject`, async (route) => {
      if (route.request().method() === "GET") return route.fallback();
      await page.getByTestId("systems-page").waitFor();
      await route.fulfill({
        status: 412,
        contentType: "application/problem+json",
        body: JSON.stringify({
          status: 412,
          code: "precondition_failed",
          title: "Changed",
          detail: "Somebody else has changed it.",
        }),
      });
    });
    await row.getByTestId("always-inject").click();
    await page.getByTestId("nav-catalog").click();
    await page.getByTestId("toast").getByText("That did not work: Somebody else has changed it.").waitFor();
  });
});
