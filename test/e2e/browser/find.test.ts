import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { Chat } from "./chat";
import { unique } from "./names";
import { scripted as test } from "./test";
import { phone, resize } from "./visit";

const focused = (page: Page, testId: string) => page.getByTestId(testId).and(page.locator(":focus"));

describe("Find and go", () => {
  test("a chat is found by what was said in it, and opens at the message", async ({
    visit,
    product,
    administrator,
  }) => {
    const { id: owner } = await administrator.get<{ id: string }>("/api/me");
    const [old, fresh] = [randomUUID(), randomUUID()];
    // A word of this run alone: a repeat has the same chats once more.
    const mark = old.slice(0, 4);
    const [word, slip, title] = [`Zanzibar${mark}`, `Zanzibra${mark}`, `Something else ${mark}`];
    await product.query(`INSERT INTO ai_conversations (id, owner_id, title, updated_at, archived_at) VALUES
      ('${old}', '${owner}', 'Gateway trouble ${mark}', now() - interval '400 days', NULL),
      ('${fresh}', '${owner}', '${title}', now(), NULL),
      ('${randomUUID()}', '${owner}', '${word} once more', now(), now())`);
    await product.query(`INSERT INTO ai_messages (conversation_id, id, turn_id, role, content, parts, metadata)
      SELECT '${old}', 'm' || n, gen_random_uuid(), CASE n % 2 WHEN 0 THEN 'user' ELSE 'assistant' END, said,
             jsonb_build_array(jsonb_build_object('type', 'text', 'text', said)), '{}'
      FROM generate_series(1, 24) n,
           LATERAL (SELECT CASE n WHEN 11 THEN 'The ${word} gateway was down.' ELSE repeat('Of other things. ', 60) END AS said) s`);

    const here = await visit();
    const { page } = here;
    const chat = await Chat.open(page);
    await focused(page, "composer").waitFor();
    const groups = page.getByTestId("date-group");
    await groups.filter({ hasText: "Today" }).getByText(title).waitFor();
    expect(await groups.filter({ hasText: `Gateway trouble ${mark}` }).innerText()).not.toContain("Today");

    const search = page.getByTestId("chat-search");
    const hits = page.getByTestId("chat-hit");
    await search.fill(`${word.slice(0, -1).toLowerCase()} gate`);
    await hits.getByText("Gateway trouble").waitFor();
    expect(await hits.count()).toBe(1);
    expect(await hits.locator("mark").allInnerTexts()).toEqual([word.slice(0, -1), "gate"]);
    await search.fill(slip);
    await page.getByTestId("chat-search-corrected").getByText(word.toLowerCase()).waitFor();
    await hits.getByText("Deleted", { exact: true }).waitFor();
    expect(await hits.count()).toBe(2);
    await here.look("chat-search");
    await search.fill("nothing-of-this-kind");
    await page.getByTestId("chat-search-empty").waitFor();

    await search.fill(word);
    await hits.filter({ hasText: "Gateway trouble" }).click();
    const message = chat.answers.filter({ hasText: `The ${word} gateway was down.` });
    await message.and(page.locator(":focus")).waitFor();
    await expect
      .poll(() =>
        message.evaluate(
          (element) => element.getBoundingClientRect().top >= 0 && element.getBoundingClientRect().bottom < innerHeight,
        ),
      )
      .toBe(true);
  });

  test("everything is reached and decided by keys alone, and on a phone by a button", async ({
    visit,
    administrator,
  }) => {
    const name = unique("Lighthouse");
    const { id } = await administrator.post<{ id: string }>("/api/catalog/systems", { name, description: "Found" });
    const here = await visit();
    const { page } = here;
    const chat = await Chat.open(page);
    const palette = page.getByTestId("palette");
    const chosen = page.getByTestId("palette-item").and(page.locator("[data-highlighted]"));

    await page.keyboard.press("Control+k");
    await focused(page, "palette-input").waitFor();
    await page.getByTestId("palette-item").filter({ hasText: "New chat" }).waitFor();
    await here.look("palette");
    await here.shrink("palette-phone");
    await page.keyboard.type(name);
    await page.getByTestId("palette-item").filter({ hasText: name }).filter({ hasText: "Found" }).waitFor();
    await here.look("palette-found");
    while (!(await chosen.innerText()).includes("Found")) await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/catalog/systems/${id}`);
    await palette.waitFor({ state: "detached" });

    await page.keyboard.press("Control+k");
    await focused(page, "palette-input").waitFor();
    await page.keyboard.press("Control+k");
    await palette.waitFor({ state: "detached" });

    await page.keyboard.press("Control+k");
    await page.keyboard.type("audit log");
    await chosen.getByText("Audit log").waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL("**/admin/audit");
    await palette.waitFor({ state: "detached" });

    await page.keyboard.press("Control+k");
    await page.keyboard.type("order and failure of a plan");
    const section = page.getByTestId("palette-item").filter({ hasText: "Plans" }).first();
    await section.waitFor();
    await section.click();
    await page.waitForURL(/\/docs\/.+#/);
    await page.locator('[data-testid="doc-content"] :is(h2, h3):focus').waitFor();
    await page.keyboard.press("n");
    await focused(page, "composer").waitFor();
    await chat.ask(`Add a system called ${unique("Payments API")} owned by the platform team`);
    const card = await chat.card();
    await chat.composer.press("Escape");
    await page.keyboard.press("a");
    await card.apply.and(page.locator(":focus")).waitFor();
    await page.keyboard.press("Enter");
    await card.outcome.getByText("Applied").first().waitFor();
    await focused(page, "composer").waitFor();
    // The answer to the decision comes first: nothing is sent while it is being written.
    await chat.says("applied and live");
    await chat.idle();

    await chat.perform('text="Beginning of the story." tokens=1500 delay_token=40ms');
    await chat.writing("Beginning of the story.");
    await page.getByTestId("message-list").focus();
    await page.keyboard.press("Escape");
    await chat.idle();

    // A chat is found by what was said in it.
    await page.goto("/catalog/systems");
    await page.getByTestId("systems-page").waitFor();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("Payments API owned by the platform");
    const chats = page.getByTestId("palette").getByRole("group", { name: "Chats" });
    await chats.getByTestId("palette-item").first().click();
    await page.waitForURL(/\/chat\//);
    await chat.answers.filter({ hasText: "applied and live" }).first().waitFor();

    await resize(page, phone);
    await page.getByTestId("open-palette-phone").click();
    await page.getByTestId("palette-input").fill("teams");
    await page.getByTestId("palette-item").filter({ hasText: "Teams" }).first().click();
    await page.waitForURL("**/catalog/teams");
  });
});
