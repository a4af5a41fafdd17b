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

  // The suggested question stands in the message box, unsent.
  await page.getByTestId("ask-about").click();
  await expect.poll(() => page.getByTestId("composer").inputValue()).toBe(`Tell me about the team “${stem} team”.`);
  await page.getByTestId("chat-empty").waitFor();
});

test("Systems are narrowed by group and environment in the address, which can be passed on and gone back from", async ({
  visit,
  administrator,
}) => {
  const post = (path: string, body: object) => administrator.post<{ id: string }>(path, body);
  const stem = unique("Parcel");
  const group = await post("/api/catalog/groups", { name: `${stem} group` });
  const environment = await post("/api/catalog/environments", { name: `${stem} place`, fields: {} });
  const made = async (part: string, inGroup: boolean, inPlace: boolean) => {
    const { id } = await post("/api/catalog/systems", { name: `${stem} ${part}` });
    if (inGroup) await administrator.put(`/api/catalog/groups/${group.id}/systems/${id}`, {});
    if (inPlace)
      await administrator.put(`/api/catalog/systems/${id}/environments`, { environmentIds: [environment.id] });
  };
  await made("Sorter", true, true);
  await made("Scanner", true, false);
  await made("Tracker", false, true);

  const here = await visit();
  const { page } = here;
  const parts = async () =>
    (await page.getByTestId("system-link").allInnerTexts())
      .filter((name) => name.startsWith(stem))
      .map((name) => name.slice(stem.length + 1))
      .toSorted();
  const narrowed = () => {
    const { searchParams } = new URL(page.url());
    return [searchParams.get("groupId"), searchParams.get("environmentId")];
  };
  const [groups, environments] = [page.getByTestId("system-group"), page.getByTestId("system-environment")];
  const total = (words: string) => page.getByTestId("systems-total").getByText(words, { exact: true }).waitFor();

  await page.goto("/catalog/systems");
  await groups.selectOption(group.id);
  await total("2 systems");
  expect(await parts()).toEqual(["Scanner", "Sorter"]);
  expect(narrowed()).toEqual([group.id, null]);
  await environments.selectOption(environment.id);
  await total("1 system");
  expect(await parts()).toEqual(["Sorter"]);
  expect(narrowed()).toEqual([group.id, environment.id]);
  await here.look("catalog-two-filters");
  await here.shrink("catalog-two-filters-phone");

  // Anyone with the address sees the same list.
  const passedOn = await here.tab(page.url());
  await passedOn.getByTestId("systems-total").getByText("1 system", { exact: true }).waitFor();
  expect(await passedOn.getByTestId("system-group").inputValue()).toBe(group.id);
  expect(await passedOn.getByTestId("system-environment").inputValue()).toBe(environment.id);
  await passedOn.close();

  await page.goBack();
  await total("2 systems");
  expect(await environments.inputValue()).toBe("");
  expect(narrowed()).toEqual([group.id, null]);
  await page.goForward();
  await total("1 system");
  // One choice is taken away by the key with which another is made.
  await groups.focus();
  await page.keyboard.press("Home");
  await total("2 systems");
  expect(await parts()).toEqual(["Sorter", "Tracker"]);
  expect(narrowed()).toEqual([null, environment.id]);

  // The page of a group names its systems, and each leads to its places.
  await page.getByTestId("system-link").filter({ hasText: "Sorter" }).click();
  await page.getByTestId("system-page").getByTestId("group-link").click();
  await page.getByTestId("group-page").getByTestId("system-link").filter({ hasText: "Scanner" }).waitFor();
  await page.goBack();
  await page.getByTestId("system-page").waitFor();
  await page.goBack();
  await total("2 systems");
  expect(narrowed()).toEqual([null, environment.id]);
});

test("Those who look after a system are called, written to in their room, or paged by a link", async ({
  visit,
  administrator,
}) => {
  const { id } = await administrator.post<{ id: string }>("/api/catalog/systems", { name: unique("Reached") });
  const here = await visit();
  const { page } = here;
  await page.goto(`/catalog/systems/${id}`);
  const form = page.getByTestId("form-dialog");
  const open = async (kind: string) => {
    await page.getByRole("button", { name: "Add contact" }).click();
    await form.getByLabel("Kind").selectOption(kind);
  };
  const add = async (kind: string, field: string, address: string, label: string) => {
    await open(kind);
    await form.getByLabel(field).fill(address);
    await form.getByLabel("Label").fill(label);
    await form.getByTestId("form-submit").click();
    await form.waitFor({ state: "detached" });
  };
  const link = (label: string) => page.getByRole("listitem").filter({ hasText: label }).getByTestId("contact-link");
  const href = async (label: string) => (await link(label).getAttribute("href")) ?? "";

  // An invalid address is reported at its field, and no link is made.
  await open("phone");
  await form.getByLabel("Number").fill("javascript:alert(1)");
  await form.getByTestId("form-submit").click();
  await form.getByLabel("Number").and(page.locator('[aria-invalid="true"]')).waitFor();
  await form.getByLabel("Number").fill("+49 (30) 123-4567");
  await form.getByLabel("Label").fill("on call");
  await here.look("contact-form");
  await form.getByTestId("form-submit").click();
  await form.waitFor({ state: "detached" });
  await add("chat", "Address of the room", "https://chat.example.org/rooms/orders", "room");
  await add("pager", "Number or address", "+49 171 7654321", "night");
  await add("pager", "Number or address", "https://oncall.example.org/page/orders", "service");
  await add("mailbox", "E-mail", "orders@example.org", "team");

  expect(await href("on call")).toBe("tel:+49301234567");
  expect(await href("night")).toBe("tel:+491717654321");
  expect(await href("room")).toBe("https://chat.example.org/rooms/orders");
  expect(await href("service")).toBe("https://oncall.example.org/page/orders");
  expect(await href("team")).toBe("mailto:orders@example.org");
  // The receiver does not learn the referring page, and the page stays open.
  for (const outside of ["room", "service"]) {
    expect(await link(outside).getAttribute("target")).toBe("_blank");
    expect(await link(outside).getAttribute("rel")).toBe("noopener noreferrer");
  }
  expect(await link("on call").getAttribute("target")).toBeNull();
  await here.look("contacts");
  await here.shrink("contacts-phone");
});
