import type { Browser, BrowserContextOptions } from "playwright-core";
import { test as base } from "vitest";
import { scriptedModel } from "../clients/gate";
import { Installation } from "../stack/installation";
import { Person, type Credentials } from "../stack/person";
import { screenshots, sharedBrowser } from "./browser";
import { Visit } from "./visit";

/** Facts that a new operator has: the address of the product, and how to sign in. */
interface Invitation {
  url: string;
  credentials: Credentials;
  /** Runs SQL in the database of the product. */
  query: (statement: string) => Promise<Record<string, unknown>[]>;
}

interface Fixtures {
  /** An installation that the tests of a file share. */
  product: Invitation;
  browser: Browser;
  administrator: Person;
  /** Begins a visit of the administrator, or of a stranger for null. */
  visit: (person?: Person | null, options?: BrowserContextOptions) => Promise<Visit>;
}

/** Answers are not waited for, unless a script says how slow they are. */
const pace = { COUNTERSIGN_DEMO_FIRST_DELAY: "1ms", COUNTERSIGN_DEMO_TOKEN_DELAY: "1ms" };

/** An installation for as long as it is used. */
async function installed(settings: Record<string, string>, use: (product: Invitation) => Promise<void>): Promise<void> {
  const installation = await Installation.create({ ...pace, ...settings });
  try {
    const { url } = await installation.start("all");
    await use({
      url,
      credentials: await installation.credentials(),
      query: (statement) => installation.query(statement),
    });
  } finally {
    await installation.stop();
  }
}

/** A test with a browser. It fails when a page has done what no page may do. */
export const test = base.extend<Fixtures>({
  product: [
    // oxlint-disable-next-line no-empty-pattern
    async ({}, use) => installed({}, use),
    { scope: "file" },
  ],
  browser: [
    // oxlint-disable-next-line no-empty-pattern
    async ({}, use) => {
      const browser = await sharedBrowser();
      await use(browser);
      // The worker ends.
      await browser.close();
    },
    { scope: "worker" },
  ],
  administrator: [
    async ({ product }, use) => use(await Person.signIn(product.url, product.credentials)),
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
      if (failed) await visit.picture(`${name}-${index}`, visit.page, true);
      await visit.end();
    }
    if (failed) console.error(`a picture of the failure is in ${screenshots}${name}-0.png`);
    const problems = visits.flatMap((visit) => visit.problems());
    if (problems.length > 0) throw new Error(`pages have done what no page may do:\n${problems.join("\n")}`);
  },
});

/** With the model that follows scripts in the list that people choose from. */
export const scripted = test.extend<{ administrator: Person }>({
  administrator: [
    async ({ product }, use) => {
      const administrator = await Person.signIn(product.url, product.credentials);
      const { connections } = await administrator.get<{ connections: { id: string }[] }>("/api/ai/connections");
      await administrator.patch(`/api/ai/connections/${connections[0]?.id}`, { availableModels: [scriptedModel] });
      await use(administrator);
    },
    { scope: "file" },
  ],
});

type Use = (product: Invitation) => Promise<void>;

/** An installation that is set up otherwise, for one of the tests above. */
function otherwise(settings: Record<string, string>) {
  // oxlint-disable-next-line no-empty-pattern
  const product = async ({}, use: Use) => installed(settings, use);
  return { product: [product, { scope: "file" }] as [typeof product, { scope: "file" }] };
}

export const scriptedWith = (settings: Record<string, string>) =>
  scripted.extend<{ product: Invitation }>(otherwise(settings));

export const installedWith = (settings: Record<string, string>) =>
  test.extend<{ product: Invitation }>(otherwise(settings));
