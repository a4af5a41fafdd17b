import { readFile } from "node:fs/promises";
import { describe, expect } from "vitest";
import { Chat } from "./chat";
import { unique } from "./names";
import { scripted as test } from "./test";

describe("The audit log", () => {
  test("is filtered, opened in detail and exported", async ({ visit, administrator }) => {
    const here = await visit();
    const { page } = here;
    const chat = await Chat.open(page);
    const name = unique("Audited");
    await chat.perform(
      `r1.tool=ai.listDocs r2.tool=catalog.createSystem r2.input=${JSON.stringify({ name })} text="Shall I?"`,
    );
    const card = await chat.card();
    await card.apply.click();
    await card.outcome.getByText("Applied").waitFor();
    await chat.answers.nth(1).waitFor();
    await chat.idle();

    await page.goto("/admin/audit");
    const rows = page.getByTestId("audit-row");
    await rows.nth(1).waitFor();
    await page.getByTestId("chain-status").waitFor();
    await here.look("audit");
    await page.getByLabel("Effect").selectOption("mutate");
    await page.waitForURL(/effect=mutate/);
    await rows.filter({ hasText: "ai.listDocs" }).waitFor({ state: "detached" });
    expect(await rows.count()).toBe(1);
    await page
      .getByTestId("chain-status")
      .getByText(/Chain (verified|not verified yet)/)
      .waitFor();

    await rows.first().getByRole("link").click();
    const detail = page.getByTestId("audit-detail");
    await detail.getByRole("region", { name: "History" }).getByText("applied").waitFor();
    await here.look("audit-detail");
    await here.shrink("audit-detail-phone");
    await detail.getByRole("link", { name: "Open it" }).last().click();
    await page.getByTestId("proposal-page").getByText(name).first().waitFor();
    await here.look("proposal");
    await page.goBack();
    await page.keyboard.press("Escape");
    await detail.waitFor({ state: "detached" });

    const download = page.waitForEvent("download");
    await page.getByTestId("export-csv").click();
    const file = await download;
    expect(file.suggestedFilename()).toMatch(/\.csv$/);
    const [head, ...lines] = (await readFile(await file.path(), "utf8")).trim().split(/\r?\n/);
    expect(head).toContain("tool");
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.every((line) => line.includes("catalog.createSystem"))).toBe(true);
    expect((await administrator.get<{ problem?: string }>("/api/ai/audit/verification")).problem).toBeUndefined();
  });
});
