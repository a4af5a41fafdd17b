import type { Browser, BrowserContextOptions } from "playwright-core";
import { test as base, expect, inject } from "vitest";
import { Person } from "../stack/person";
import { launch, screenshots } from "./browser";
import { Visit } from "./visit";

interface Fixtures {
  browser: Browser;
  administrator: Person;
  /** Begins a visit of the administrator, or of a stranger for null. */
  visit: (person?: Person | null, options?: BrowserContextOptions) => Promise<Visit>;
}

/** A test with a browser. It fails when a page has done what no page may do. */
export const test = base.extend<Fixtures>({
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
    // oxlint-disable-next-line no-empty-pattern
    async ({}, use) => {
      const { url, ...credentials } = inject("product");
      await use(await Person.signIn(url, credentials));
    },
    { scope: "file" },
  ],
  visit: async ({ browser, administrator, task }, use) => {
    const visits: Visit[] = [];
    await use(async (person = administrator, options = {}) => {
      const visit = await Visit.begin(browser, inject("product").url, person ?? undefined, options);
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
    expect(visits.flatMap((visit) => visit.problems())).toEqual([]);
  },
});
