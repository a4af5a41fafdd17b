import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { Chat } from "../browser/chat";
import { installedWith } from "../browser/test";
import { phone } from "../browser/visit";
import { Person } from "../stack/person";

/** The demo company: systems, checks and three weeks of history. */
const test = installedWith({ COUNTERSIGN_DEMO_COMPANY: "127.0.0.1:0", COUNTERSIGN_CHECK_EGRESS_ALLOW: "127.0.0.1" });

const images = fileURLToPath(new URL("../../../docs/images/", import.meta.url));

async function picture(page: Page, name: string): Promise<void> {
  await page.mouse.move(0, 0);
  await page.screenshot({ path: `${images}${name}.png`, animations: "disabled" });
}

const password = "a password for the tour";

/** User with the default rules. */
async function invite(administrator: Person, name: string): Promise<string> {
  const email = `${name.toLowerCase().replaceAll(" ", ".")}@example.org`;
  await administrator.post("/api/users", { name, email, password });
  return email;
}

describe("The tour", () => {
  test("of somebody on call", async ({ visit }) => {
    const { page } = await visit();
    await page.goto("/health/systems");
    await page.getByTestId("board").waitFor();
    await page.getByTestId("board").getByText("Storefront").first().waitFor();
    await page.getByTestId("board").getByTestId("sparkline").first().waitFor();
    await picture(page, "tour-board");

    const chat = await Chat.open(page);
    await chat.ask("Which systems are unhealthy?");
    await page.waitForURL(/\/chat\/[0-9a-f-]{36}$/);
    await chat.idle();
    await picture(page, "tour-question");

    await chat.ask("Rename Reporting to Nightly Reporting");
    const card = await chat.card();
    await chat.idle();
    await card.element.scrollIntoViewIfNeeded();
    await picture(page, "tour-card");
    await card.apply.click();
    await card.outcome.waitFor();
    await chat.says("applied and live");
    await chat.idle();
    await picture(page, "tour-applied");

    await chat.answers.first().getByTestId("turn-link").click();
    await page.getByTestId("waterfall").waitFor();
    await picture(page, "tour-turn");
  });

  test("of a colleague who looks something up", async ({ visit, administrator, product }) => {
    const email = await invite(administrator, "Grace Hopper");
    await product.query("UPDATE users SET must_change_password = false");
    const person = await Person.signIn(product.url, { email, password });
    const { page } = await visit(person);
    await page.goto("/catalog/systems");
    await page.getByTestId("row").first().waitFor();
    await picture(page, "tour-systems");
    await page.getByTestId("open-palette").click();
    await page.getByTestId("palette-input").fill("check");
    await page.getByTestId("palette-item").filter({ hasText: "Checkout" }).first().waitFor();
    await picture(page, "tour-palette");
    await page.getByTestId("palette-item").filter({ hasText: "Checkout" }).first().click();
    await page.getByRole("heading", { name: "Checkout" }).first().waitFor();
    await page.waitForLoadState("networkidle");
    await picture(page, "tour-system");

    const small = await visit(person, { viewport: phone, isMobile: true, hasTouch: true });
    const chat = await Chat.open(small.page);
    await chat.ask("Who owns Checkout?");
    await chat.idle();
    await picture(small.page, "tour-phone");
  });

  test("of an administrator", async ({ visit, administrator }) => {
    await invite(administrator, "Alan Turing");
    const { page } = await visit(administrator, { colorScheme: "dark" });
    await page.goto("/admin/users");
    await page.getByTestId("row").filter({ hasText: "Alan Turing" }).waitFor();
    await picture(page, "tour-users");
    await page.goto("/admin/policies");
    await page.getByTestId("policies-page").waitFor();
    await page.waitForLoadState("networkidle");
    await picture(page, "tour-policies");
    await page.goto("/admin/audit");
    await page.getByTestId("audit-page").waitFor();
    await page.waitForLoadState("networkidle");
    await picture(page, "tour-audit");
    expect(page.url()).toContain("/admin/audit");
  });
});
