import { describe, expect } from "vitest";
import { violations } from "./axe";
import { Chat } from "./chat";
import { test } from "./test";
import { phone } from "./visit";

const pages: { name: string; path: string; ready: string }[] = [
  { name: "chat", path: "/chat", ready: "chat-empty" },
  { name: "proposals", path: "/proposals?status=all", ready: "proposals-page" },
  { name: "systems", path: "/catalog/systems", ready: "systems-page" },
  { name: "health", path: "/health/systems", ready: "board" },
  { name: "checks", path: "/health/checks", ready: "checks-page" },
  { name: "check-editor", path: "/health/editor", ready: "assertions" },
  { name: "groups", path: "/catalog/groups", ready: "empty-state" },
  { name: "connections", path: "/admin/connections", ready: "test-connection" },
  { name: "users", path: "/admin/users", ready: "row" },
  { name: "roles", path: "/admin/roles", ready: "row" },
  { name: "applications", path: "/admin/applications", ready: "applications-page" },
  { name: "memory", path: "/memory", ready: "memory-page" },
  { name: "skills", path: "/skills", ready: "skills-page" },
  { name: "policies", path: "/admin/policies", ready: "policies-page" },
  { name: "audit", path: "/admin/audit", ready: "audit-page" },
  { name: "scripts", path: "/scripts", ready: "script-editor" },
  { name: "docs", path: "/docs", ready: "docs-page" },
  { name: "docs-page", path: "/docs/concepts/permission-modes", ready: "doc-content" },
  { name: "secrets", path: "/admin/secrets", ready: "secrets-page" },
  { name: "script-policy", path: "/admin/script-policy", ready: "save-script-policy" },
  { name: "privacy", path: "/admin/privacy", ready: "privacy-page" },
  { name: "account", path: "/account", ready: "row" },
];

describe.for(["light", "dark"] as const)("In %s colours", (colorScheme) => {
  test("every page can be used by everybody", async ({ visit }) => {
    const here = await visit(undefined, { colorScheme });
    const { page } = here;
    const found: string[] = [];
    for (const { name, path, ready } of pages) {
      await page.goto(path);
      await page.getByTestId(ready).first().waitFor();
      await here.picture(`page-${name}-${colorScheme}`);
      found.push(...(await violations(page)));
    }
    await page.goto("/catalog/systems");
    await page.getByTestId("new-system").click();
    await page.getByTestId("form-dialog").waitFor();
    found.push(...(await violations(page)));
    expect(found).toEqual([]);
  });

  test("a chat with a card can be used by everybody", async ({ visit }) => {
    const here = await visit(undefined, { colorScheme });
    const chat = await Chat.open(here.page);
    await chat.ask(`Add a system called ${colorScheme} Colours owned by the platform team`);
    const card = await chat.card();
    expect(await violations(here.page)).toEqual([]);
    await here.picture(`card-${colorScheme}`);
    await card.decline.click();
    await chat.answers.nth(1).getByText("left everything as it was").waitFor();
    expect(await violations(here.page)).toEqual([]);
  });
});

describe("The theme", () => {
  test("is chosen by a person and stays", async ({ visit }) => {
    const here = await visit();
    const theme = () => here.page.evaluate(() => document.documentElement.dataset.theme);
    await here.page.goto("/catalog/systems");
    expect(await theme()).toBe("light");
    await here.page.getByTestId("theme-toggle").click();
    expect(await theme()).toBe("dark");
    await here.page.reload();
    await here.page.getByTestId("systems-page").waitFor();
    expect(await theme()).toBe("dark");
    await here.picture("catalog-dark");
  });
});

describe("On a phone", () => {
  test("nothing is out of reach", async ({ visit }) => {
    const here = await visit(undefined, { viewport: phone, hasTouch: true });
    const { page } = here;
    const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    const chat = await Chat.open(page);
    await chat.ask("Add a system called Pocket API owned by the platform team");
    const card = await chat.card();
    await here.picture("phone-card");
    expect(await overflow()).toBe(0);
    await card.apply.click();
    await chat.answers.nth(1).getByText("applied and live").waitFor();
    await page.getByTestId("open-conversations").click();
    await page.getByTestId("conversation-row").last().waitFor();
    await here.picture("phone-conversations");
    await page.keyboard.press("Escape");
    await page.getByTestId("open-menu").click();
    const menu = page.getByRole("dialog", { name: "Menu" });
    await menu.waitFor();
    await here.picture("phone-menu");
    await menu.getByTestId("nav-catalog").click();
    await page.getByTestId("system-link").filter({ hasText: "Pocket API" }).click();
    await page.getByTestId("system-page").waitFor();
    await here.picture("phone-system");
    for (const { path, ready, name } of pages) {
      await page.goto(path);
      await page.getByTestId(ready).first().waitFor();
      expect(await overflow(), `${name} is wider than the screen`).toBe(0);
    }
  });
});
