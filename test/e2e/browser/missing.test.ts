import { randomUUID } from "node:crypto";
import { describe, expect } from "vitest";
import { violations } from "./axe";
import { test } from "./test";

const id = randomUUID();

/** Addresses of what there is not, and what the page says that there is none of. */
const addresses: [path: string, noun: string][] = [
  ["/nothing/here", "page"],
  ["/admin/nothing", "page"],
  [`/catalog/systems/${id}`, "system"],
  ["/catalog/systems/no-id", "system"],
  [`/catalog/groups/${id}`, "group"],
  [`/catalog/environments/${id}`, "environment"],
  [`/catalog/teams/${id}`, "team"],
  [`/chat/${id}`, "chat"],
  ["/chat/no-id", "chat"],
  [`/proposals?proposal=${id}`, "proposal"],
  [`/skills/${id}`, "skill"],
  [`/agents/${id}`, "agent"],
  [`/turns/${id}`, "answer"],
  [`/health/checks/${id}`, "check"],
  [`/health/systems/${id}`, "system"],
  [`/health/systems/${id}/runs/1/1`, "run"],
  [`/admin/connections/${id}/check`, "connection"],
  ["/docs/concepts/nonsense", "page"],
  [`/health/editor?check=${id}`, "check"],
  [`/agents/editor?agent=${id}&revision=1&tool=total`, "agent"],
];

describe("What there is not", () => {
  test("is said inside the app, with the way to all that there is", async ({ visit }) => {
    const here = await visit();
    const { page } = here;
    here.expects(/404|422/);
    const found: string[] = [];
    for (const [path, noun] of addresses) {
      await page.goto(path);
      await page.getByRole("heading", { level: 1, name: `There is no such ${noun}`, exact: true }).waitFor();
      expect(await page.getByTestId("nav-catalog").count()).toBe(1);
      await expect.poll(() => page.title()).toBe(`There is no such ${noun} · Countersign`);
      found.push(...(await violations(page)));
    }
    expect(found).toEqual([]);

    await page.goto(`/catalog/teams/${id}`);
    await page.getByTestId("search-instead").click();
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await here.look("missing-team");
    await here.shrink("missing-team-phone", true);
    await page.getByTestId("go-on").click();
    await page.waitForURL("**/catalog/teams");
  });
});
