import { describe, expect } from "vitest";
import { Chat } from "./chat";
import { scripted as test } from "./test";

describe("How a turn went", () => {
  test("is seen from its answer and from the list of turns", async ({ visit }) => {
    const here = await visit();
    const { page } = here;
    const chat = await Chat.open(page);
    await chat.perform('tool=ai.listDocs text="Here it is." retry_after=300ms fault=429@1');
    await chat.says("Here it is.");
    await chat.idle();

    await chat.answers.first().getByTestId("turn-link").click();
    await page.getByTestId("waterfall").waitFor();
    // The attempt that failed, the wait, the one that was made again, the tool, and the answer.
    expect(await page.getByTestId("bar-model").count()).toBe(3);
    expect(await page.getByTestId("bar-wait").count()).toBe(1);
    expect(await page.getByTestId("bar-tool").count()).toBe(1);
    await page.getByRole("listitem", { name: /^Model, step 1: failed, .*asked to slow down/ }).waitFor();
    await page.getByRole("listitem", { name: /^Model, step 1, attempt 2: done/ }).waitFor();
    await page.getByTestId("turn-facts").getByText("no prices known").waitFor();
    const temporal = await page.getByTestId("turn-temporal").getAttribute("href");
    expect(decodeURIComponent(temporal ?? "")).toContain(`turn/${new URL(page.url()).pathname.split("/").at(-1)}`);
    await here.look("turn");
    await here.shrink("turn-phone");

    await page.getByTestId("turn-table-toggle").click();
    await page
      .getByTestId("turn-table")
      .getByRole("row", { name: /ai\.listDocs/ })
      .waitFor();
    await here.look("turn-table");
    await here.shrink("turn-table-phone");

    await page.getByRole("link", { name: "All turns" }).click();
    await page.getByTestId("turns-page").waitFor();
    await page.getByTestId("turn-row").first().waitFor();
    await here.look("turns");
    await here.shrink("turns-phone");
    await page.getByTestId("turn-status").selectOption("failed");
    await page.getByText("No turns match these filters").waitFor();
    await page.getByRole("button", { name: "Clear filters" }).click();
    await page
      .getByTestId("turn-row")
      .first()
      .getByRole("link", { name: /open turn details/ })
      .click();
    await page.getByTestId("waterfall").waitFor();
  });

  test("shows what it cost, and what tools were called with to who may read the chat", async ({
    visit,
    administrator,
  }) => {
    const { connections } = await administrator.get<{ connections: { id: string }[] }>("/api/ai/connections");
    await administrator.patch(`/api/ai/connections/${connections[0]?.id}`, { price: { input: 2_000, output: 8_000 } });
    const { page } = await visit();
    const chat = await Chat.open(page);
    await chat.perform('r1.tool=ai.searchDocs r1.input={"query":"how long a card waits"} text="Ten minutes."');
    await chat.says("Ten minutes.");
    await chat.idle();
    await chat.answers.first().getByTestId("turn-link").click();
    const facts = page.getByTestId("turn-facts");
    await facts.waitFor();
    const tokens = Number(
      (await facts.locator("div", { hasText: "Tokens" }).locator("dd").innerText()).replace(/\D/g, ""),
    );
    expect(tokens).toBeGreaterThan(0);
    expect(await facts.locator("div", { hasText: "Cost" }).locator("dd").innerText()).toMatch(/[1-9]/);
    const called = page.locator("details", { hasText: "in step 1" });
    await called.locator("summary").click();
    await called.getByText('"query": "how long a card waits"').waitFor();
  });
});
