import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { Person } from "../stack/person";
import { unique } from "./names";
import { test } from "./test";
import type { Visit } from "./visit";

const fresh = (name: string) => `${name}_${randomUUID().slice(0, 6).toUpperCase()}`;

const rowOf = (page: Page, name: string) => page.getByTestId("row").filter({ hasText: name });

/** Everything that the browser is sent, so that a value is found wherever it comes back. */
function received(here: Visit): { holds: (text: string) => Promise<boolean> } {
  const bodies: Promise<string>[] = [];
  here.page.on("response", (response) => {
    const { pathname } = new URL(response.url());
    // The stream of changes has no end while the page is open.
    if (pathname.startsWith("/api/") && pathname !== "/api/events") bodies.push(response.text().catch(() => ""));
  });
  return { holds: async (text) => (await Promise.all(bodies)).some((body) => body.includes(text)) };
}

async function open(page: Page): Promise<void> {
  await page.goto("/admin/secrets");
  await page.getByTestId("new-secret").waitFor();
}

async function personWith(administrator: Person, rules: string[]): Promise<Person> {
  const { id } = await administrator.post<{ id: string }>("/api/roles", { name: unique("Rules"), rules });
  const credentials = { email: `joan-${randomUUID().slice(0, 6)}@example.org`, password: "correct horse battery" };
  await administrator.post("/api/users", { ...credentials, name: "Joan Clarke", roleIds: [id] });
  return Person.signIn(administrator.base, credentials);
}

describe("A secret", () => {
  test("is created, replaced and deleted, and its value never comes back", async ({ visit, product }) => {
    const here = await visit();
    const { page } = here;
    const answers = received(here);
    const name = fresh("STATUS_TOKEN");
    const [first, second] = [`first-${randomUUID()}`, `second-${randomUUID()}`];
    await open(page);
    await page.getByTestId("empty-state").getByText("No secret yet").waitFor();
    await here.look("secrets-empty");
    await page.getByTestId("new-secret").click();
    const form = page.getByTestId("form-dialog");
    // Invalid characters of a name are corrected while typing.
    await form.getByLabel("Name").fill(name.toLowerCase().replace("_", "-"));
    expect(await form.getByLabel("Name").inputValue()).toBe(name);
    await form.getByLabel("Value").fill("abc");
    await form.getByTestId("form-submit").click();
    await form.getByText(/at least 4/).waitFor();
    expect(await form.getByLabel("Value").getAttribute("aria-invalid")).toBe("true");
    here.expects(/status of 422/);
    await form.getByLabel("Value").fill(first);
    await form.getByLabel("Description").fill("For the status page");
    await here.look("secret-form");
    await form.getByTestId("form-submit").click();
    await page.getByTestId("toast").getByText(`${name} was created`).waitFor();
    const row = rowOf(page, name);
    await row.getByText("never used").waitFor();
    await here.look("secrets");
    await here.shrink("secrets-phone");

    await row.getByRole("button", { name: `Record of ${name}` }).click();
    const record = page.getByTestId("secret-history");
    await record.getByText("No known references.").waitFor();
    await record.getByText("created it").waitFor();
    await here.look("secret-record");
    await page.keyboard.press("Escape");
    await record.waitFor({ state: "detached" });

    const sealed = async () =>
      (await product.query(`SELECT encode(value_sealed, 'hex') AS sealed FROM vault_secrets WHERE name = '${name}'`))[0]
        ?.sealed;
    const before = await sealed();
    await row.getByRole("button", { name: `Replace or describe ${name}` }).click();
    expect(await form.getByLabel("New value").inputValue()).toBe("");
    // A description alone leaves the value as it is.
    await form.getByLabel("Description").fill("For the status page, read only");
    await form.getByTestId("form-submit").click();
    await row.getByText("read only").waitFor();
    await form.waitFor({ state: "detached" });
    expect(await sealed()).toBe(before);
    await row.getByRole("button", { name: `Replace or describe ${name}` }).click();
    await form.getByLabel("New value").fill(second);
    await form.getByTestId("form-submit").click();
    await form.waitFor({ state: "detached" });
    expect(await sealed()).not.toBe(before);
    await row.getByRole("button", { name: `Record of ${name}` }).click();
    await record.getByText("replaced the value").waitFor();
    await page.keyboard.press("Escape");

    await page.reload();
    await row.waitFor();
    await row.getByRole("button", { name: `Delete ${name}` }).click();
    const confirm = page.getByTestId("confirm-dialog");
    await confirm.getByText("No known references.").waitFor();
    await confirm.getByText("It was never used.").waitFor();
    await here.look("secret-delete");
    await confirm.getByTestId("confirm-dialog-confirm").click();
    await row.waitFor({ state: "detached" });
    await page.getByTestId("toast").getByText(`${name} was deleted`).waitFor();
    for (const value of [first, second]) {
      expect(await answers.holds(value)).toBe(false);
      expect(await page.content()).not.toContain(value);
    }
    const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
    expect(kept).not.toContain(first);
    expect(kept).not.toContain(second);
  });

  test("is managed with the keyboard alone", async ({ visit }) => {
    const here = await visit();
    const { page } = here;
    const name = fresh("KEYBOARD");
    await open(page);
    const focused = (role: "button" | "textbox", label: string | RegExp) =>
      page.getByRole(role, { name: label }).and(page.locator(":focus"));
    /** Tabs on until something has the focus, and fails when it cannot be reached. */
    const reach = async (role: "button" | "textbox", label: string | RegExp) => {
      for (let tabs = 0; tabs < 60; tabs++) {
        if ((await focused(role, label).count()) > 0) return;
        await page.keyboard.press("Tab");
      }
      throw new Error(`Tab does not lead to ${label}`);
    };
    await reach("button", "New secret");
    await page.keyboard.press("Enter");
    await focused("textbox", "Name").waitFor();
    await page.keyboard.type(name);
    await page.keyboard.press("Tab");
    await focused("textbox", "Value").waitFor();
    await page.keyboard.type("typed-and-hidden");
    await reach("button", "Create secret");
    await page.keyboard.press("Enter");
    await rowOf(page, name).waitFor();
    await focused("button", "New secret").waitFor();

    await reach("button", `Replace or describe ${name}`);
    await page.keyboard.press("Enter");
    await focused("textbox", "New value").waitFor();
    await page.keyboard.press("Escape");
    await focused("button", `Replace or describe ${name}`).waitFor();

    await reach("button", `Delete ${name}`);
    await page.keyboard.press("Enter");
    await page.getByTestId("confirm-dialog").waitFor();
    await reach("button", "Delete secret");
    await page.keyboard.press("Enter");
    await rowOf(page, name).waitFor({ state: "detached" });
    // The button that had the focus is gone with the row.
    await focused("button", "New secret").waitFor();
  });

  test("is changed by one of two editors, and the other is told", async ({ visit, administrator }) => {
    const name = fresh("CONTESTED");
    await administrator.post("/api/secrets", { name, description: "", value: "value-of-the-first" });
    const here = await visit();
    const { page } = here;
    here.expects(/status of 412/);
    await open(page);
    await rowOf(page, name)
      .getByRole("button", { name: /^Replace or describe/ })
      .click();
    await administrator.patch(`/api/secrets/${name}`, { value: "value-of-the-second" });
    const form = page.getByTestId("form-dialog");
    await form.getByLabel("New value").fill("value-of-the-third");
    await form.getByTestId("form-submit").click();
    await form
      .getByTestId("form-conflict")
      .getByText(/changed/)
      .waitFor();
    expect(await form.getByLabel("New value").inputValue()).toBe("value-of-the-third");
  });

  test("is neither shown nor told to people without the rule", async ({ visit, administrator }) => {
    const name = fresh("HIDDEN");
    await administrator.post("/api/secrets", { name, description: "Not for everybody", value: "value-of-the-hidden" });
    const other = await personWith(administrator, ["ai.chat.read", "ai.audit.read"]);
    const here = await visit(other);
    const answers = received(here);
    here.expects(/status of 403/);
    await here.page.goto("/admin/audit");
    const tabs = here.page.getByRole("navigation", { name: "Administration" }).getByRole("link");
    await tabs.first().waitFor();
    expect(await tabs.allInnerTexts()).toEqual(["Audit log"]);
    await here.page.goto("/admin/secrets");
    await here.page.getByTestId("error").getByText("vault.secret.read", { exact: true }).waitFor();
    expect(await here.page.getByTestId("new-secret").count()).toBe(0);
    expect(await answers.holds(name)).toBe(false);
    for (const path of ["/api/secrets", `/api/secrets/${name}`, `/api/secrets/${name}/uses`])
      expect((await other.request(path)).status).toBe(403);

    // Users who may only use secrets see their names and change nothing.
    const reader = await visit(await personWith(administrator, ["vault.secret.read"]));
    await reader.page.goto("/admin/secrets");
    await rowOf(reader.page, name).getByText("Not for everybody").waitFor();
    expect(await reader.page.getByTestId("new-secret").count()).toBe(0);
    // Its uses and its history.
    expect(await rowOf(reader.page, name).getByRole("button").count()).toBe(2);
  });
});
