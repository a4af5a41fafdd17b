import { describe, expect } from "vitest";
import { Chat } from "./chat";
import { test } from "./test";

describe("The assistant", () => {
  test("turns away what is about something else", async ({ visit }) => {
    const here = await visit();
    const chat = await Chat.open(here.page);
    await chat.ask("Write a poem about the sea and the moon");
    await chat.says("so I leave this one to others");
    await chat.idle();
    await here.look("off-topic");
    expect(await chat.answers.count()).toBe(1);
    expect(await chat.answers.getByTestId("tool-line").count()).toBe(0);
  });

  test("names a conversation, and the list shows it", async ({ visit }) => {
    const here = await visit();
    const chat = await Chat.open(here.page);
    await chat.ask("Could you please tell me which systems the platform team owns, and who is on it?");
    await chat.answers.first().waitFor();
    await chat.idle();
    const row = here.page.getByTestId("conversation-row").first();
    await row.getByText("Tell which systems platform team owns", { exact: true }).waitFor();
    await here.look("titled");
  });
});
