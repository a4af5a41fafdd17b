import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { violations } from "./axe";
import { Chat } from "./chat";
import { areas, elsewhere, furnish, passages, type Things } from "./places";
import { test as base } from "./test";
import { go, phone, themes } from "./visit";

const test = base.extend<{ things: Things }>({
  things: [
    async ({ administrator, product }, use) => use(await furnish(administrator, product.credentials.email)),
    { scope: "file" },
  ],
});

/** Opens a page and waits until it shows what it has read. */
async function open(page: Page, path: string, ready: string): Promise<void> {
  await page.goto(path);
  await shown(page, ready);
}

async function shown(page: Page, ready: string): Promise<void> {
  await page.getByTestId(ready).first().waitFor();
  await page.getByRole("status", { name: "Loading" }).first().waitFor({ state: "hidden" });
}

/** The name of the picture of a page. */
const named = (route: string) => route.slice(1).replaceAll("$", "").replaceAll(/\W+/g, "-");

/** Elements that overflow the document, or a part that scrolls only vertically. */
const tooWide = (page: Page) =>
  page.evaluate(() =>
    [document.documentElement, ...document.querySelectorAll(".overflow-y-auto")]
      .filter((part) => part.scrollWidth > part.clientWidth)
      .map((part) => `${part.tagName} ${part.className}: ${part.scrollWidth} > ${part.clientWidth}`),
  );

test("Every route is looked at, here or in another test", async ({ visit, things }) => {
  const { page } = await visit();
  await open(page, "/chat", "chat-empty");
  const routes = await page.evaluate(() => {
    const { __TSR_ROUTER__: router } = self as unknown as { __TSR_ROUTER__: { routesByPath: object } };
    return Object.keys(router.routesByPath);
  });
  const known = [
    ...areas.flatMap(([, places]) => Object.keys(places)),
    ...Object.keys(passages),
    ...Object.keys(elsewhere),
  ];
  expect(routes.toSorted()).toEqual(known.toSorted());
  for (const [, places] of areas)
    for (const [route, { at }] of Object.entries(places)) {
      const { pathname } = new URL(at?.(things) ?? route, page.url());
      expect(pathname).toMatch(new RegExp(`^${route.replaceAll(/\$\w*/g, ".+")}$`));
    }
  for (const [route, to] of Object.entries(passages)) {
    await page.goto(route);
    await page.waitForURL(({ pathname }) => pathname === to || pathname.startsWith(`${to}/`));
  }
});

describe.for(areas)("Every page of the area %s", ([, places]) => {
  test("can be used by everybody, in light and in dark colours", async ({ visit, things }) => {
    const here = await visit();
    const found: string[] = [];
    for (const [route, { at, ready }] of Object.entries(places)) {
      await open(here.page, at?.(things) ?? route, ready);
      for (const [colorScheme, looks] of themes) {
        await here.page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        await here.page.locator(`html[data-theme="${colorScheme}"]`).waitFor();
        await here.picture(`page-${named(route)}-${colorScheme}`);
        found.push(...(await violations(here.page, looks)));
      }
    }
    expect(found).toEqual([]);
  });

  test("fits a phone, and can be used there by everybody", async ({ visit, things }) => {
    const here = await visit(undefined, { viewport: phone, hasTouch: true });
    const found: string[] = [];
    await open(here.page, "/chat", "chat-empty");
    for (const [route, { at, ready }] of Object.entries(places)) {
      await go(here.page, at?.(things) ?? route);
      await shown(here.page, ready);
      await here.picture(`page-${named(route)}-phone`);
      found.push(...(await tooWide(here.page)).map((part) => `${route} is wider than the screen: ${part}`));
      found.push(...(await violations(here.page)));
    }
    expect(found).toEqual([]);
  });
});

test("The sign-in can be used by everybody, and fits a phone", async ({ visit }) => {
  const here = await visit(null);
  await here.page.goto("/sign-in");
  await here.page.getByTestId("sign-in").waitFor();
  await here.look("sign-in");
  await here.shrink("sign-in-phone", true);
});

describe.for(["light", "dark"] as const)("In %s colours", (colorScheme) => {
  test("the form for a new system can be used by everybody", async ({ visit }) => {
    const { page } = await visit(undefined, { colorScheme });
    await page.goto("/catalog/systems");
    await page.getByTestId("new-system").click();
    await page.getByTestId("form-dialog").waitFor();
    expect(await violations(page)).toEqual([]);
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
  });
});
