import { expect } from "vitest";
import { violations } from "./axe";
import { unique } from "./names";
import { test } from "./test";

test("Systems are found by filters, tags and words with a slip, and their groups, environments and teams have pages", async ({
  visit,
  administrator,
}) => {
  const post = (path: string, body: object) => administrator.post<{ id: string }>(path, body);
  const stem = unique("Ledger");
  const tag = unique("money").toLowerCase().replaceAll(" ", "-");
  const team = await post("/api/teams", { name: `${stem} team` });
  const group = await post("/api/catalog/groups", { name: `${stem} group` });
  const environment = await post("/api/catalog/environments", { name: `${stem} place`, fields: { region: "eu" } });
  const one = await post("/api/catalog/systems", { name: `${stem} Warehouse`, tags: [tag], ownerTeamId: team.id });
  await post("/api/catalog/systems", { name: `${stem} Frontdesk`, tags: [tag] });
  await administrator.put(`/api/catalog/groups/${group.id}/systems/${one.id}`, {});
  await administrator.put(`/api/catalog/systems/${one.id}/environments`, { environmentIds: [environment.id] });

  const here = await visit();
  const { page } = here;
  const rows = page.getByTestId("system-link");
  const named = (part: string) => rows.filter({ hasText: `${stem} ${part}` });
  await page.goto("/catalog/systems");
  await page.getByTestId("system-team").selectOption(team.id);
  await page.getByTestId("systems-total").getByText("1 system", { exact: true }).waitFor();
  await named("Warehouse").waitFor();
  expect(new URL(page.url()).searchParams.get("teamId")).toBe(team.id);
  await here.picture("catalog-filtered");
  expect(await violations(page)).toEqual([]);

  // A tag leads to all that have it, and Back to where the person was.
  await page.getByTestId("tag-link").filter({ hasText: tag }).first().click();
  await page.getByTestId("systems-total").getByText("2 systems", { exact: true }).waitFor();
  await named("Frontdesk").waitFor();
  await page.goBack();
  await page.getByTestId("systems-total").getByText("1 system", { exact: true }).waitFor();
  expect(await page.getByTestId("system-team").inputValue()).toBe(team.id);

  await page.getByTestId("clear-filters").click();
  await page.getByTestId("system-search").fill("Warehuose");
  await page.getByTestId("similar-systems").getByText(`${stem} Warehouse`).waitFor();
  await here.picture("catalog-similar");
  expect(await violations(page)).toEqual([]);
  await page
    .getByTestId("similar-systems")
    .getByRole("link", { name: `${stem} Warehouse`, exact: true })
    .click();

  const system = page.getByTestId("system-page");
  await system.getByTestId("group-link").click();
  const groupPage = page.getByTestId("group-page");
  await groupPage.getByRole("heading", { name: `${stem} group` }).waitFor();
  await named("Warehouse").waitFor();
  await here.picture("catalog-group");
  expect(await violations(page)).toEqual([]);
  await page.goBack();
  await system.getByTestId("environment-link").click();
  await page.getByTestId("environment-page").getByText("region").waitFor();
  await named("Warehouse").waitFor();
  await here.picture("catalog-environment");
  expect(await violations(page)).toEqual([]);
  await page.getByTestId("team-link").click();
  await page.getByTestId("team-page").getByText("No members yet").waitFor();
  await named("Warehouse").waitFor();
  await here.picture("catalog-team");
  expect(await violations(page)).toEqual([]);
  await page.getByTestId("edit-team").click();
  await page.getByTestId("form-dialog").getByLabel("Description").fill("Counts the money");
  await page.getByTestId("form-submit").click();
  await page.getByTestId("team-page").getByText("Counts the money").waitFor();

  // What may be asked about stands in the message box, and nobody has sent it.
  await page.getByTestId("ask-about").click();
  await expect.poll(() => page.getByTestId("composer").inputValue()).toBe(`Tell me about the team “${stem} team”.`);
  await page.getByTestId("chat-empty").waitFor();
});
