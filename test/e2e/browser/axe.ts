import axe from "axe-core";
import type { Page } from "playwright-core";

type Self = typeof globalThis & { axe?: typeof axe };

/** What axe looks at: everything, or only what differs from theme to theme. */
export type Looks = "everything" | "colours";

/** What a field offers belongs to the field, which names it, and lies at the end of the document so that nothing cuts it off. */
const offered = /^<div role="listbox"/;

/** The violations on a page, whatever their weight. */
export async function violations(page: Page, looks: Looks = "everything"): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in self))) await page.evaluate(axe.source);
  const rules = looks === "colours" ? { runOnly: ["color-contrast", "link-in-text-block"] } : {};
  const found = await page.evaluate(async (options) => (await (self as Self).axe?.run(options))?.violations, rules);
  if (!found) throw new Error("axe is not on the page");
  return found.flatMap(({ id, help, nodes }) =>
    nodes
      .filter(({ html }) => !(id === "region" && offered.test(html)))
      .map((node) => `${page.url()}: ${id}: ${help}: ${node.html}: ${node.failureSummary}`),
  );
}
