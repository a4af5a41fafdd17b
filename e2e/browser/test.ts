import type { Browser, BrowserContextOptions } from "playwright-core";
import { test as base, inject } from "vitest";
import { Installation } from "../stack/installation";
import { Person } from "../stack/person";
import { pace, type Provided } from "../stack/setup";
import { launch, screenshots } from "./browser";
import { Visit } from "./visit";

interface Fixtures {
  /** The installation that is visited. */
  product: Provided;
  browser: Browser;
  administrator: Person;
  /** Begins a visit of the administrator, or of a stranger for null. */
  visit: (person?: Person | null, options?: BrowserContextOptions) => Promise<Visit>;
}

/** A test with a browser. It fails when a page has done what no page may do. */
export const test = base.extend<Fixtures>({
  product: [
    // oxlint-disable-next-line no-empty-pattern
    async ({}, use) => use(inject("product")),
    { scope: "file" },
  ],
  browser: [
    // oxlint-disable-next-line no-empty-pattern
    async ({}, use) => {
      const browser = await launch();
      await use(browser);
      await browser.close();
    },
    { scope: "file" },
  ],
  administrator: [
    async ({ product: { url, ...credentials } }, use) => use(await Person.signIn(url, credentials)),
    { scope: "file" },
  ],
  visit: async ({ product, browser, administrator, task }, use) => {
    const visits: Visit[] = [];
    await use(async (person = administrator, options = {}) => {
      const visit = await Visit.begin(browser, product.url, person ?? undefined, options);
      visits.push(visit);
      return visit;
    });
    const failed = task.result?.state === "fail";
    const name = `failed-${task.name.replaceAll(/\W+/g, "-")}`;
    for (const [index, visit] of visits.entries()) {
      if (failed) await visit.picture(`${name}-${index}`);
      await visit.end();
    }
    if (failed) console.error(`a picture of the failure is in ${screenshots}${name}-0.png`);
    const problems = visits.flatMap((visit) => visit.problems());
    if (problems.length > 0) throw new Error(`pages have done what no page may do:\n${problems.join("\n")}`);
  },
});

/** A test with an installation that nobody has used, for stories about beginning, and about what concerns everybody. */
export const freshTest = test.extend<{ product: Provided }>({
  product: [
    // oxlint-disable-next-line no-empty-pattern
    async ({}, use) => {
      const installation = await Installation.create(pace);
      const { url } = await installation.start("all");
      const { email, password } = await installation.administrator();
      await use({ url, email, password });
      await installation.stop();
    },
    { scope: "file" },
  ],
});
