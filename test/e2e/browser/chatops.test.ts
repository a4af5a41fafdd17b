import { readFile } from "node:fs/promises";
import { describe, expect } from "vitest";
import { Chat } from "./chat";
import { scripted as test } from "./test";

describe("A chat", () => {
  test("is written anew from the newest message, and downloaded", async ({ visit }) => {
    const here = await visit();
    const { page } = here;
    const chat = await Chat.open(page);
    await chat.perform('text="The first answer."');
    await chat.says("The first answer.");
    await chat.idle();
    await chat.perform('tool=catalog.createSystem input={"name":"Never made"}');
    await chat.card();

    // Only the newest message is edited, and what it has proposed is withdrawn.
    const edit = page.getByTestId("edit-message");
    await edit.waitFor();
    expect(await edit.count()).toBe(1);
    await edit.click();
    await page.getByTestId("edit-text").fill('script: text="The second answer."');
    await here.picture("chat-edit");
    await page.getByTestId("edit-save").click();
    await chat.says("The second answer.");
    // The box of the edit, which had the focus, is gone.
    await page.getByTestId("composer").and(page.locator(":focus")).waitFor();
    await chat.idle();
    expect(await chat.cards.count()).toBe(0);
    expect(await chat.questions.count()).toBe(2);

    // Another answer takes the place of the newest one.
    const newest = chat.answers.nth(1);
    const turn = await newest.getByTestId("temporal-link").getAttribute("href");
    await newest.getByTestId("repeat").click();
    await newest.locator(`[data-testid="temporal-link"]:not([href="${turn}"])`).waitFor();
    expect(await chat.answers.count()).toBe(2);
    await page.reload();
    await chat.says("The second answer.");
    expect(await chat.questions.count()).toBe(2);
    await here.picture("chat-again");

    const [file] = await Promise.all([page.waitForEvent("download"), page.getByTestId("export-chat").click()]);
    expect(file.suggestedFilename()).toMatch(/^[a-z0-9-]+\.md$/);
    const written = await readFile(await file.path(), "utf8");
    expect(written).toContain("The first answer.");
    expect(written).toContain("The second answer.");
    expect(written).not.toContain("Never made");
  });
});
