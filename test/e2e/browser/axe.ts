import axe from "axe-core";
import type { Page } from "playwright-core";

type Self = typeof globalThis & { axe?: typeof axe };

/** Scope of an axe run: everything, or only what differs between themes. */
export type Looks = "everything" | "colours";

/**
 * The options of a field belong to the field, which names them, and lie at the end of the document so that nothing
 * clips them.
 */
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
