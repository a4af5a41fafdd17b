import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { openForeign } from "./foreign";
import { test } from "./test";

const named = (name: string) => `${name} ${randomUUID().slice(0, 8)}`;

async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel("Message").fill(text);
  await page.getByText("Send", { exact: true }).click();
}

describe("assistant-ui with nothing but the address", () => {
  test("chats, answers again, and applies and declines changes", async ({ visit, administrator }) => {
    const { page } = await visit();
    await openForeign(page, "assistant-ui");
    await say(page, "Which systems do we have?");
    await page.getByTestId("message").nth(1).getByTestId("call").first().waitFor();

    const again = page.waitForRequest((request) => (request.postData() ?? "").includes('"regenerate-message"'));
    await page.getByText("Again", { exact: true }).click();
    const answer = await (await again).response();
    expect(answer?.status()).toBe(200);
    await answer?.finished();
    const id = answer?.headers()["countersign-conversation"];
    const { messages } = await administrator.get<{ messages: unknown[] }>(`/api/ai/conversations/${id}`);
    expect(messages).toHaveLength(2);

    const wanted = named("Approved");
    await say(page, `Add a system called ${wanted} owned by the platform team`);
    await page.getByText("Approve", { exact: true }).click();
    await page.getByText('"status":"applied"').waitFor();
    const systems = (name: string) =>
      administrator.get<{ systems: unknown[] }>(`/api/catalog/systems?query=${encodeURIComponent(name)}`);
    expect((await systems(wanted)).systems).toHaveLength(1);

    const unwanted = named("Declined");
    await say(page, `Add a system called ${unwanted} owned by the platform team`);
    await page.getByText("Decline", { exact: true }).click();
    await page.getByText("left everything as it was").waitFor();
    expect((await systems(unwanted)).systems).toHaveLength(0);
  });
});
