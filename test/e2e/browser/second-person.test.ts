import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { Person } from "../stack/person";
import { Card, Chat } from "./chat";
import { unique } from "./names";
import { scripted as test } from "./test";

interface Policy {
  toolName: string;
  effect: string;
  own: boolean;
  twoPerson: boolean;
}

// It holds for all that follows in its installation, so there is one test here.
test("All destructive tools takes a second person at one press, on every way", async ({ visit, administrator }) => {
  const name = unique("Retired");
  const { id } = await administrator.post<{ id: string }>("/api/catalog/systems", { name });
  // Another administrator could take it back, so that nobody has to be warned of that.
  const { roles } = await administrator.get<{ roles: { id: string; rules: string[] }[] }>("/api/roles");
  const everything = roles.find(({ rules }) => rules.includes("*"));
  const credentials = { email: `grace-${randomUUID().slice(0, 6)}@example.org`, password: "correct horse battery" };
  await administrator.post("/api/users", { ...credentials, name: "Grace Hopper", roleIds: [everything?.id] });
  const second = await Person.signIn(administrator.base, credentials);
  const destructive = async () => {
    const { policies } = await administrator.get<{ policies: Policy[] }>("/api/ai/policies");
    return policies.filter(({ effect, own }) => effect === "destructive" && !own);
  };
  const before = await destructive();
  expect(before.length).toBeGreaterThan(10);
  expect(before.some(({ twoPerson }) => twoPerson)).toBe(false);

  const here = await visit();
  const { page } = here;
  await page.goto("/admin/policies");
  const box = page.getByTestId("all-destructive");
  await box.getByText(`${before.length} of ${before.length} destructive tools`).waitFor();
  const button = page.getByTestId("all-destructive-second");
  await button.focus();
  await page.keyboard.press("Enter");
  await page.getByTestId("toast").getByText(`${before.length} tools need a second person now`).waitFor();
  await box.getByText(`All ${before.length} destructive tools need a second person.`).waitFor();
  expect(await button.count()).toBe(0);
  await page
    .getByTestId("policy-catalog.deleteSystem")
    .getByLabel("Needs a second person")
    .and(page.locator(":checked"))
    .waitFor();
  await here.look("policies-all-destructive");
  await here.shrink("policies-all-destructive-phone");
  expect((await destructive()).every(({ twoPerson }) => twoPerson)).toBe(true);

  // Neither the page nor the assistant removes anything for one person alone.
  await page.goto(`/catalog/systems/${id}`);
  await page.getByTestId("delete-system").click();
  await page.getByTestId("confirm-dialog-confirm").click();
  await page.getByTestId("toast").getByText("Waits for a second person").waitFor();
  const chat = await Chat.open(page);
  await chat.perform(`tool=catalog.deleteSystem input=${JSON.stringify({ id })} text="Another person decides."`);
  const mine = new Card(chat.cards.last());
  await mine.element.getByTestId("second-person").getByText("You proposed this").waitFor();
  expect(await mine.apply.isDisabled()).toBe(true);
  await chat.idle();
  expect(await administrator.get(`/api/catalog/systems/${id}`)).toMatchObject({ name });

  const other = await visit(second);
  await other.page.goto("/proposals");
  const theirs = new Card(other.page.getByTestId("proposal-card").filter({ hasText: name }).first());
  await theirs.pending();
  await theirs.apply.click();
  await expect.poll(async () => (await administrator.request(`/api/catalog/systems/${id}`)).status).toBe(404);
});
