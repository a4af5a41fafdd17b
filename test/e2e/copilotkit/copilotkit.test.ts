import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { openForeign } from "../browser/foreign";
import { test } from "../browser/test";

const page = new URL("page.tsx", import.meta.url);

async function say(chat: Page, text: string): Promise<void> {
  const box = chat.locator("textarea");
  await box.fill(text);
  await box.press("Enter");
}

describe("Stock CopilotKit with the address of the assistant", () => {
  test("chats, and changes nothing without a person", async ({ visit, administrator }) => {
    const here = await visit();
    await openForeign(here.page, "copilotkit", page);
    await say(here.page, "Explain how proposals expire");
    await here.page.getByText("From the documentation").first().waitFor();

    const name = `Wanted ${randomUUID().slice(0, 8)}`;
    await say(here.page, `Add a system called ${name} owned by the platform team`);
    const open = () =>
      administrator.get<{ proposals: { proposalId: string; summary: string }[] }>("/api/ai/proposals?status=proposed");
    await expect.poll(async () => (await open()).proposals.some(({ summary }) => summary.includes(name))).toBe(true);
    const systems = () =>
      administrator.get<{ systems: unknown[] }>(`/api/catalog/systems?query=${encodeURIComponent(name)}`);
    expect((await systems()).systems).toHaveLength(0);
    await here.picture("copilotkit");
  });
});
