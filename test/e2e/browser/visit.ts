import { join } from "node:path";
import type { Browser, BrowserContext, BrowserContextOptions, ConsoleMessage, Page } from "playwright-core";
import { expect } from "vitest";
import type { Person } from "../stack/person";
import { violations, type Looks } from "./axe";
import { screenshots, takesPictures } from "./browser";
import { driven, RequestBudget } from "./budget";

/** How long something may take to appear on a busy machine. */
const patience = 60_000;

export const desktop = { width: 1280, height: 800 };
export const phone = { width: 390, height: 844 };

/** The themes in the order in which a page is looked at, and at what: the second is the same page in other colours. */
export const themes: [theme: "dark" | "light", looks: Looks][] = [
  ["dark", "everything"],
  ["light", "colours"],
];

/** Goes to a page of the app as its links do: in the document that is open, unless the page has one of its own. */
export async function go(page: Page, href: string): Promise<void> {
  try {
    await page.evaluate((to) => {
      const { __TSR_ROUTER__: router } = self as unknown as {
        __TSR_ROUTER__: { navigate: (to: { href: string }) => Promise<void> };
      };
      return router.navigate({ href: to });
    }, href);
  } catch (problem) {
    if (!String(problem).includes("Execution context was destroyed")) throw problem;
    await page.waitForLoadState();
  }
}

/**
 * Resizes the window, and waits until the page has drawn itself for it. The event of a new size comes with the next frame, and an
 * open list is where it was until then.
 */
export async function resize(page: Page, size: { width: number; height: number }): Promise<void> {
  await page.setViewportSize(size);
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
}

/**
 * Disables transitions: a change of the theme would start one in each element, and further ones in what inherits from it, which
 * takes seconds on a large page.
 */
function withoutTransitions(): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("*, ::before, ::after { transition-property: none !important; }");
  document.adoptedStyleSheets.push(sheet);
}

/** One person's browser. It notes everything that a page must not do. */
export class Visit {
  readonly page: Page;
  readonly #context: BrowserContext;
  readonly #base: string;
  readonly #problems: string[] = [];
  readonly #expected: RegExp[] = [];
  /** Of each tab, in the order in which they were opened. */
  readonly budgets: RequestBudget[] = [];

  private constructor(context: BrowserContext, page: Page, base: string) {
    this.#context = context;
    this.page = page;
    this.#base = base;
    this.#watch(page);
  }

  /** Opens a browser of its own, signed in as the person if there is one. */
  static async begin(
    browser: Browser,
    base: string,
    person?: Person,
    options: BrowserContextOptions = {},
  ): Promise<Visit> {
    const context = await browser.newContext({
      baseURL: base,
      viewport: desktop,
      locale: "en-GB",
      colorScheme: "light",
      reducedMotion: "reduce",
      ...options,
    });
    context.setDefaultTimeout(patience);
    await context.addInitScript(withoutTransitions);
    if (person) await context.addCookies(cookiesOf(person));
    return new Visit(context, await context.newPage(), base);
  }

  /** A second tab with the same session. */
  async tab(path: string): Promise<Page> {
    const page = await this.#context.newPage();
    this.#watch(page);
    await page.goto(path);
    return page;
  }

  /** A page that is not the product, such as the Temporal Web UI. */
  async elsewhere(url: string): Promise<Page> {
    const page = await this.#context.newPage();
    await page.goto(url);
    return page;
  }

  /** Says that a message on the console is part of the story, such as a refused sign-in. */
  expects(message: RegExp): void {
    this.#expected.push(message);
  }

  /** Takes a picture, if pictures are wanted or have to be. */
  async picture(name: string, page = this.page, always = takesPictures): Promise<void> {
    if (!always) return;
    await page.screenshot({ path: join(screenshots, `${name}.png`), animations: "disabled" });
  }

  /** Takes a picture in both themes, and fails when the page could not be used by everybody. */
  async look(name: string, page = this.page): Promise<void> {
    const found: string[] = [];
    for (const [colorScheme, looks] of themes) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.locator(`html[data-theme="${colorScheme}"]`).waitFor();
      await this.picture(`${name}-${colorScheme}`, page);
      found.push(...(await violations(page, looks)));
    }
    expect(found).toEqual([]);
  }

  /**
   * Takes a picture of what it is on a phone, and fails when something is beyond the edge. Pages that have no place in the router
   * are looked at whether everybody can use them there; the others are in appearance.test.ts.
   */
  async shrink(name: string, apart = false): Promise<void> {
    await resize(this.page, phone);
    await this.picture(name);
    const overflow = await this.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    const found = apart ? await violations(this.page) : [];
    await resize(this.page, desktop);
    expect(overflow).toBe(0);
    expect(found).toEqual([]);
  }

  /** Everything that no page may do and that one has done nevertheless. */
  problems(): string[] {
    const loops = this.budgets.flatMap((budget) => budget.excess(driven));
    return [...this.#problems, ...loops].filter(
      (problem) => !this.#expected.some((expected) => expected.test(problem)),
    );
  }

  /** Fails when a tab requests more than one that nobody touches may. */
  keepsBudget(): void {
    const found = this.budgets.flatMap((budget) => {
      const excess = budget.excess();
      return excess.length > 0 ? [...excess, String(budget)] : [];
    });
    expect(found).toEqual([]);
  }

  async end(): Promise<void> {
    await this.#context.close();
  }

  #watch(page: Page): void {
    this.budgets.push(new RequestBudget(page));
    page.on("console", (message) => this.#read(message));
    page.on("pageerror", (error) => this.#problems.push(`uncaught ${error.stack ?? error}`));
    page.on("request", (request) => {
      const url = new URL(request.url());
      if (url.origin !== this.#base && url.protocol.startsWith("http"))
        this.#problems.push(`request off the origin: ${url}`);
    });
    page.on("response", (response) => {
      if (response.status() >= 500) this.#problems.push(`${response.status()} from ${response.url()}`);
    });
  }

  #read(message: ConsoleMessage): void {
    const kind = message.type();
    // The browser says so itself when a server that is stopped ends the stream of changes.
    if (
      new URL(message.location().url || this.#base).pathname === "/api/events" &&
      message.text().includes("net::ERR_")
    )
      return;
    if (kind === "error" || kind === "warning")
      this.#problems.push(`console ${kind}: ${message.text()} (${message.location().url})`);
  }
}

function cookiesOf(person: Person) {
  return person.cookie.split("; ").map((cookie) => {
    const at = cookie.indexOf("=");
    return { name: cookie.slice(0, at), value: cookie.slice(at + 1), url: person.base };
  });
}
