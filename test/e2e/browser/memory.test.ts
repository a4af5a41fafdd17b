import { describe, expect } from "vitest";
import { Chat } from "./chat";
import { unique } from "./names";
import { scripted as test } from "./test";

describe("A memory", () => {
  test("is saved with a card, found on its page, always included, and deleted", async ({ visit, administrator }) => {
    const topic = unique("deploy window of payments");
    const here = await visit();
    const { page } = here;
    const chat = await Chat.open(page);
    const input = { scope: "user", recallHint: topic, content: "Deploy on Tuesdays, after the stand-up." };
    await chat.perform(`tool=ai.saveMemory input=${JSON.stringify(input)} text="Shall I remember it?"`);
    const card = await chat.card();
    await card.element.getByText("after the stand-up").first().waitFor();
    await here.look("memory-card");
    await card.apply.click();
    await card.outcome.getByText("Applied").waitFor();
    await chat.answers.nth(1).waitFor();
    await chat.idle();

    await page.goto("/memory");
    await page.getByTestId("memory-search").fill("stand-up");
    await page.waitForURL(/query=stand-up/);
    const row = page.getByTestId("memory").filter({ hasText: topic });
    await row.getByText("Saved in a conversation").waitFor();
    await row.getByTestId("always-inject").click();
    const always = async () =>
      (
        await administrator.get<{ memories: { recallHint: string; alwaysInject: boolean }[] }>("/api/ai/memories")
      ).memories.find(({ recallHint }) => recallHint === topic)?.alwaysInject;
    await expect.poll(always).toBe(true);
    await page.reload();
    await row.getByTestId("always-inject").and(page.locator(":checked")).waitFor();
    await here.look("memory-list");

    await row.getByRole("button", { name: /^Delete/ }).click();
    await here.look("memory-delete");
    await page.getByTestId("confirm-dialog-confirm").click();
    await row.waitFor({ state: "detached" });
    expect(await always()).toBeUndefined();
  });

  test("that resembles another is replaced only when the person says so", async ({ visit }) => {
    const topic = unique("backups of orders");
    const here = await visit();
    const { page } = here;
    await page.goto("/memory");
    const form = page.getByTestId("form-dialog");
    const add = async (content: string) => {
      await page.getByTestId("new-memory").click();
      await form.getByLabel("For", { exact: true }).and(page.locator(":focus")).waitFor();
      await form.getByLabel("When to recall it").fill(topic);
      await form.getByLabel("What to recall").fill(content);
      await form.getByTestId("form-submit").click();
    };
    const row = page.getByTestId("memory").filter({ hasText: topic });
    await add("Every night at two.");
    await form.waitFor({ state: "detached" });
    await row.getByText("Every night at two.").waitFor();
    here.expects(/status of 409/);
    await add("Every hour.");
    const similar = form.getByTestId("similar-memory");
    await similar.getByText("Every night at two.").waitFor();
    expect(await similar.innerText()).not.toMatch(/[0-9a-f]{8}-/);
    expect(await row.getByText("Every hour.").count()).toBe(0);
    await here.look("memory-similar");
    await here.shrink("memory-similar-phone");
    await form.getByTestId("replace-memory").click();
    await row.getByText("Every hour.").waitFor();
    expect(await row.count()).toBe(1);
  });
});
