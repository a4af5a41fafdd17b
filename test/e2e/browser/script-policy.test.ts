import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import type { Schema } from "../stack/api";
import { Person } from "../stack/person";
import { unique } from "./names";
import { test } from "./test";

type Policy = Schema<"ScriptpolicyStored">;

const policyOf = (person: Person) => person.get<Policy>("/api/script-policy");

async function open(page: Page): Promise<void> {
  await page.goto("/admin/script-policy");
  await page.getByTestId("save-script-policy").waitFor();
}

/** Sets the policy as a colleague with another browser does. */
async function setPolicy(person: Person, change: Partial<Policy>): Promise<void> {
  const { network, allow, test: tests, run } = { ...(await policyOf(person)), ...change };
  const answer = await person.request("/api/script-policy", {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ network, allow, test: tests, run }),
  });
  expect(answer.status).toBe(200);
}

/** The time limit of tests is the first limit of its panel. */
const timeOfTests = (page: Page) => page.locator('[name="test.timeoutMs"]');

const toast = (page: Page) => page.getByTestId("toast").getByText("The script policy was saved");

/** Does something to the policy that is stored, of which the page hears nothing before its own save has been refused. */
async function unread(page: Page, change: () => Promise<void>): Promise<void> {
  const path = "**/api/script-policy";
  const refused = page.waitForResponse((answer) => answer.request().method() === "PUT" && answer.status() === 412);
  await page.route(path, async (route) => {
    if (route.request().method() === "GET") await refused;
    await route.continue();
  });
  await change();
  await refused;
  await page.unroute(path);
}

describe("The script policy", () => {
  test("is set, takes effect, and is on record", async ({ visit, administrator }) => {
    const here = await visit();
    const { page } = here;
    await open(page);
    await page.getByText("No changes yet.").waitFor();
    await here.look("script-policy");
    await here.shrink("script-policy-phone");
    await page.getByLabel("Allowlist").check();
    await page.getByRole("textbox", { name: "Allowlist" }).fill("API.example.com\n*.example.org:443");
    await timeOfTests(page).fill("7.5");
    await page.getByTestId("save-script-policy").click();
    await toast(page).waitFor();
    // It is shown as the server keeps it.
    expect(await page.getByRole("textbox", { name: "Allowlist" }).inputValue()).toBe(
      "api.example.com\n*.example.org:443",
    );
    const changes = page.getByRole("list", { name: "Changes" });
    await changes.getByText("Administrator").waitFor();
    for (const line of [
      "Network: Off → Allowlist",
      "Allowed: api.example.com, *.example.org:443",
      "Tests, time: 30 s → 7.5 s",
    ]) {
      await changes.getByText(line).waitFor();
    }
    await here.look("script-policy-changed");
    expect(await policyOf(administrator)).toMatchObject({
      network: "allowlist",
      test: { timeoutMs: 7_500 },
      run: { timeoutMs: 60_000 },
    });

    // A test runs under it, and tells its author that it is allowed less than requested.
    await page.goto("/scripts?context=automation-action-script");
    await page.getByRole("textbox", { name: /^Script: .* Escape/ }).waitFor();
    await page.getByTestId("script-timeout").fill("30");
    await page.getByTestId("run-script").click();
    await page.getByTestId("script-outcome").getByText("at most 7500 ms").waitFor();
    await page.getByTestId("script-outcome").getByText("with network").waitFor();
  });

  test("says at each field what is wrong, and saves nothing", async ({ visit, administrator }) => {
    const here = await visit();
    const { page } = here;
    here.expects(/status of 422/);
    const before = await policyOf(administrator);
    await open(page);
    await timeOfTests(page).fill("0");
    const calls = page.locator('[name="run.hostCalls"]');
    await calls.fill("1.5");
    await page.getByTestId("save-script-policy").click();
    await page.getByText("Enter a number from 0.1 to 300.").waitFor();
    await page.getByText("Enter a whole number from 1 to 1,000.").waitFor();
    await timeOfTests(page).and(page.locator(":focus")).and(page.locator("[aria-invalid=true]")).waitFor();
    await here.look("script-policy-invalid");
    // The marks go as soon as the values are right.
    await timeOfTests(page).fill("9");
    await calls.fill("10");
    await page.getByTestId("policy-issues").waitFor({ state: "detached" });

    // Issues that only the server finds appear at the field, too.
    await page.getByLabel("Allowlist").first().check();
    const allow = page.getByRole("textbox", { name: "Allowlist" });
    await allow.fill("api.example.com\nhttp://status.example.com");
    await page.getByTestId("save-script-policy").click();
    await page.getByText("http://status.example.com: must be a host without").waitFor();
    await allow.and(page.locator("[aria-invalid=true]")).waitFor();
    expect(await policyOf(administrator)).toEqual(before);
  });

  test("is changed by one of two editors, and the other chooses", async ({ visit, administrator }) => {
    const { id } = await administrator.post<{ id: string }>("/api/roles", {
      name: unique("Policy"),
      rules: ["script.policy.manage"],
    });
    const credentials = { email: `grace-${randomUUID().slice(0, 6)}@example.org`, password: "correct horse battery" };
    await administrator.post("/api/users", { ...credentials, name: "Grace Hopper", roleIds: [id] });
    const grace = await Person.signIn(administrator.base, credentials);
    const here = await visit();
    const { page } = here;
    here.expects(/status of 412/);
    await setPolicy(administrator, {
      network: "off",
      allow: [],
      test: { ...(await policyOf(administrator)).test, timeoutMs: 10_000 },
    });
    await open(page);
    await timeOfTests(page).fill("12");
    await unread(page, async () => {
      await setPolicy(grace, { network: "public" });
      await page.getByTestId("save-script-policy").click();
    });
    const conflict = page.getByTestId("form-conflict");
    await conflict.getByText("Grace Hopper").waitFor();
    await conflict.getByText("Network: Off → Public internet").waitFor();
    // Fields that neither or only one has changed are no conflict: theirs are taken, and typed text remains.
    expect(await conflict.getByTestId("conflict-field").count()).toBe(0);
    expect(await timeOfTests(page).inputValue()).toBe("12");
    expect(await page.getByLabel("Public internet").isChecked()).toBe(true);
    expect(await policyOf(administrator)).toMatchObject({ network: "public", test: { timeoutMs: 10_000 } });
    await page.getByTestId("take-stored").click();
    await conflict.waitFor({ state: "detached" });
    expect(await timeOfTests(page).inputValue()).toBe("10");

    // Fields that both have changed are chosen one by one, and back again.
    await timeOfTests(page).fill("13");
    const calls = page.locator('[name="test.hostCalls"]');
    await calls.fill("7");
    const stored = await policyOf(administrator);
    await unread(page, async () => {
      await setPolicy(grace, { network: "off", test: { ...stored.test, timeoutMs: 20_000, hostCalls: 8 } });
      await page.getByTestId("save-script-policy").click();
    });
    const field = (label: string) =>
      conflict.getByTestId("conflict-field").filter({ has: page.getByText(label, { exact: true }) });
    await field("Tests, time").waitFor();
    await field("Tests, host calls")
      .getByRole("radio", { name: /^Theirs/ })
      .check();
    await field("Tests, time")
      .getByRole("radio", { name: /^Theirs/ })
      .check();
    await page.locator('[name="test.timeoutMs"][value="20"]').waitFor();
    await field("Tests, time").getByRole("radio", { name: /^Mine/ }).check();
    await here.look("script-policy-conflict");
    await here.shrink("script-policy-conflict-phone");
    expect([await timeOfTests(page).inputValue(), await calls.inputValue()]).toEqual(["13", "8"]);
    await page.getByTestId("save-script-policy").click();
    await toast(page).waitFor();
    await conflict.waitFor({ state: "detached" });
    expect(await policyOf(administrator)).toMatchObject({ network: "off", test: { timeoutMs: 13_000, hostCalls: 8 } });

    // A form without edits shows the new policy.
    await setPolicy(grace, { network: "public" });
    await page.getByTestId("save-script-policy").click();
    await page.getByTestId("policy-outdated").waitFor();
    await page.getByRole("radio", { name: "Public internet" }).and(page.locator(":checked")).waitFor();
  });

  test("is neither shown nor told to people without the rule", async ({ visit, administrator }) => {
    const { id } = await administrator.post<{ id: string }>("/api/roles", {
      name: unique("Auditors"),
      rules: ["ai.audit.read"],
    });
    const credentials = { email: `joan-${randomUUID().slice(0, 6)}@example.org`, password: "correct horse battery" };
    await administrator.post("/api/users", { ...credentials, name: "Joan Clarke", roleIds: [id] });
    const here = await visit(await Person.signIn(administrator.base, credentials));
    here.expects(/status of 403/);
    await here.page.goto("/admin/script-policy");
    await here.page.getByTestId("error").first().getByText("script.policy.manage", { exact: true }).waitFor();
    expect(await here.page.getByTestId("save-script-policy").count()).toBe(0);
    expect(
      await here.page.getByRole("navigation", { name: "Administration" }).getByRole("link").allInnerTexts(),
    ).toEqual(["Audit log"]);
  });
});

describe("A script policy that cannot be used", () => {
  test.for([
    { name: "missing", statement: "DELETE FROM script_policy", said: "is missing" },
    {
      name: "unreadable",
      statement: `UPDATE script_policy SET document = '{"network": "everything"}'`,
      said: "that is stored cannot be read",
    },
  ])(
    "because it is $name is told on both pages until one is saved",
    async ({ name, statement, said }, { visit, administrator, product }) => {
      await setPolicy(administrator, { network: "off", allow: [] });
      await product.query(statement);
      // A process goes on for a second with what it has read.
      await expect
        .poll(
          async () =>
            (
              await administrator.post<{ sandboxDowngraded: boolean }>("/api/automation/script-tests", {
                context: "automation-action-script",
                source: "return 1",
              })
            ).sandboxDowngraded,
        )
        .toBe(true);

      const author = { email: `ada-${randomUUID().slice(0, 6)}@example.org`, password: "correct horse battery" };
      const { id } = await administrator.post<{ id: string }>("/api/roles", {
        name: unique("Automators"),
        rules: ["automation.automation.manage"],
      });
      await administrator.post("/api/users", { ...author, name: "Ada Lovelace", roleIds: [id] });
      const theirs = await visit(await Person.signIn(administrator.base, author));
      await theirs.page.goto("/scripts?context=automation-action-script");
      await theirs.page.getByRole("textbox", { name: /^Script: .* Escape/ }).waitFor();
      await theirs.page.getByTestId("run-script").click();
      await theirs.page.getByTestId("fail-closed").getByText("no network and the strictest limits").waitFor();
      await theirs.page.getByTestId("script-outcome").getByText("at most 2000 ms").waitFor();
      expect(await theirs.page.getByRole("link", { name: "Open the script policy" }).count()).toBe(0);
      await theirs.look(`fail-closed-${name}`);

      // Users who can repair it see the warning before the first run, with a link.
      const here = await visit();
      const { page } = here;
      await page.goto("/scripts");
      await page.getByTestId("fail-closed").getByRole("link", { name: "Open the script policy" }).click();
      await page.getByTestId("downgraded").getByText(said).waitFor();
      expect(await timeOfTests(page).inputValue()).toBe("2");
      await here.look(`script-policy-${name}`);
      await timeOfTests(page).fill("10");
      await page.getByTestId("save-script-policy").click();
      await toast(page).waitFor();
      await page.getByTestId("downgraded").waitFor({ state: "detached" });
      await page.getByText("No usable policy before.").first().waitFor();

      // The author's page says so with the next run.
      await theirs.page.getByTestId("run-script").click();
      await theirs.page.getByTestId("fail-closed").waitFor({ state: "detached" });
      await theirs.page.getByTestId("script-outcome").waitFor();
      expect(await theirs.page.getByTestId("fail-closed").count()).toBe(0);
    },
  );
});
