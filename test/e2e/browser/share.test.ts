import { randomUUID } from "node:crypto";
import { describe, expect } from "vitest";
import { Person } from "../stack/person";
import { Chat } from "./chat";
import { unique } from "./names";
import { scripted as test } from "./test";

describe("An answer", () => {
  test("is given feedback by keyboard, which is read where turns are looked at", async ({ visit }) => {
    const here = await visit();
    const { page } = here;
    const chat = await Chat.open(page);
    await chat.perform('text="Here it is."');
    await chat.says("Here it is.");
    await chat.idle();
    const answer = chat.answers.first();
    const pressed = async (verdict: string) => {
      await answer.locator(`[data-testid=feedback-${verdict}][aria-pressed=true]`).waitFor();
      // It is there once nothing is under way.
      await answer.getByTestId("feedback-why").waitFor();
    };

    // A key that is pressed before it is known what was said goes nowhere.
    await answer.locator("[data-testid=feedback-up]:enabled").waitFor();
    await answer.getByRole("button", { name: "This helped", exact: true }).press("Enter");
    await pressed("up");
    await answer.getByRole("button", { name: "This did not help", exact: true }).press("Space");
    await pressed("down");
    await answer.getByTestId("feedback-why").press("Enter");
    await answer.getByLabel("What was wrong or missing?").fill("It names the wrong team.");
    await here.look("feedback");
    await answer.getByTestId("feedback-save").press("Enter");
    await answer.getByRole("button", { name: "Change comment" }).waitFor();
    await page.reload();
    await pressed("down");

    await page.goto("/admin/turns?feedback=comment");
    await page.getByTestId("turn-verdict").getByText("Did not help, with a comment").waitFor();
    await page.getByText("marked 0 answers as helpful and 1 answer as not helpful").waitFor();
    await page.getByRole("link", { name: /open turn details/ }).click();
    await page.getByTestId("turn-comment").getByText("It names the wrong team.").waitFor();

    await page.getByRole("link", { name: "To the chat" }).click();
    await answer.locator("[data-testid=feedback-down][aria-pressed=true]").click();
    await answer.getByRole("button", { name: "This did not help", exact: true }).waitFor();
    expect(await answer.locator("[aria-pressed=true]").count()).toBe(0);
  });
});

describe("A chat", () => {
  test("is read by a colleague while it is shared, and closes when it is taken back", async ({
    visit,
    administrator,
    product,
  }) => {
    const email = `${randomUUID()}@example.com`;
    const name = unique("Rita Reader");
    const password = "correct horse battery";
    await administrator.post("/api/users", { email, name, password });
    const reader = await Person.signIn(product.url, { email, password });
    const here = await visit();
    const chat = await Chat.open(here.page);
    await chat.perform('text="The lighthouse is lit."');
    await chat.says("The lighthouse is lit.");
    await chat.idle();

    const there = await visit(reader);
    await there.page.goto("/shared");
    await there.page.getByText("No shared chats").waitFor();

    await here.page.getByTestId("share-chat").click();
    // Users who may see all addresses find people by a part of the name.
    const field = here.page.getByRole("combobox", { name: "Name or e-mail of a colleague" });
    await field.pressSequentially(`${name.split(" ").at(-1)} rit`);
    await here.page.getByRole("option", { name }).waitFor();
    await here.look("share-find");
    await here.shrink("share-find-phone");
    await field.press("Enter");
    expect(await field.inputValue()).toBe(email);
    await here.page.getByTestId("share-add").press("Enter");
    await here.page.getByTestId("share-reader").getByText(name).waitFor();
    await here.look("share-dialog");

    // The list hears of it by itself.
    await there.page.getByTestId("shared-row").getByRole("link").click();
    await there.page.getByTestId("shared-answer").getByText("The lighthouse is lit.").waitFor();
    expect(await there.page.getByRole("textbox").count()).toBe(0);
    await there.look("shared-chat");
    await there.shrink("shared-chat-phone");

    // Others know the address, and are shown nobody's.
    const own = await Chat.open(there.page);
    await own.ask("Which systems do we have?");
    await own.answers.first().waitFor();
    await own.idle();
    await there.page.getByTestId("share-chat").click();
    await there.page.getByLabel("E-mail address of a colleague", { exact: true }).waitFor();
    expect(await there.page.getByTestId("share-dialog").getByRole("combobox").count()).toBe(0);
    await there.page.goto("/shared");
    await there.page.getByTestId("shared-row").getByRole("link").click();
    await there.page.getByTestId("shared-answer").getByText("The lighthouse is lit.").waitFor();

    there.expects(/status of 404/);
    await here.page.getByTestId("share-remove").click();
    await there.page.getByText("This chat is not shared with you").waitFor();
    expect(await there.page.getByText("The lighthouse is lit.").count()).toBe(0);
  });
});
