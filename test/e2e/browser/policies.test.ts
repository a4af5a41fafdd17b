import { randomUUID } from "node:crypto";
import { describe, expect } from "vitest";
import { Person } from "../stack/person";
import { Card, Chat } from "./chat";
import { unique } from "./names";
import { scripted as test } from "./test";

interface Named {
  id: string;
  name: string;
}

/**
 * User who may change the catalog and decide about other users' proposals there; of the administration only the audit
 * log.
 */
async function colleague(administrator: Person): Promise<Person> {
  const { id } = await administrator.post<Named>("/api/roles", {
    name: unique("Reviewers"),
    rules: ["catalog.system.read", "catalog.system.manage", "ai.chat.read", "ai.proposal.manage", "ai.audit.read"],
  });
  const credentials = { email: `grace-${randomUUID().slice(0, 6)}@example.org`, password: "correct horse battery" };
  await administrator.post("/api/users", { ...credentials, name: "Grace Hopper", roleIds: [id] });
  return Person.signIn(administrator.base, credentials);
}

describe("A policy", () => {
  test("switches a tool off, and the assistant is told", async ({ visit }) => {
    const here = await visit();
    const { page } = here;
    await page.goto("/admin/policies");
    const policy = page.getByTestId("policy-catalog.createGroup");
    await policy.getByLabel("Enabled").click();
    await page.getByTestId("row").filter({ has: policy }).getByText("switched off").waitFor();
    await page.getByLabel("Find a tool").fill("switched off");
    await here.look("policies");
    await here.shrink("policies-phone");
    const chat = await Chat.open(page);
    const name = unique("Checkout");
    await chat.perform(`tool=catalog.createGroup input=${JSON.stringify({ name })} text="I cannot."`);
    await chat.says("I cannot.");
    await chat.idle();
    expect(await page.getByTestId("proposal-card").count()).toBe(0);
    const line = chat.answers.getByTestId("tool-line").first();
    await line.getByRole("button").click();
    await line.getByText("An administrator has switched this tool off.").waitFor();
    await here.look("policy-refused");
    await page.goto("/admin/policies");
    await policy.getByLabel("Enabled").click();
    await page.getByTestId("row").filter({ has: policy }).getByText("switched off").waitFor({ state: "detached" });
  });

  test("switches off what a page does, and the page says so before the click", async ({ visit, administrator }) => {
    const tool = "/api/ai/policies/healthcheck.testScript";
    await administrator.patch(tool, { enabled: false });
    const { page } = await visit();
    await page.goto("/scripts?context=healthcheck-script");
    await page.getByTestId("asking-notice").getByText("has disabled this").waitFor();
    expect(await page.getByTestId("run-script").getAttribute("aria-disabled")).toBe("true");
    await page.getByTestId("run-script").click({ force: true });
    expect(await page.getByTestId("cancel-script").count()).toBe(0);
    await administrator.patch(tool, { enabled: true });
  });

  test("asks for a second person, who applies the change from the inbox", async ({ visit, administrator }) => {
    // While a policy asks for two, it takes two to make another account.
    const second = await colleague(administrator);
    const here = await visit();
    const { page } = here;
    await page.goto("/admin/policies");
    const policy = page.getByTestId("policy-catalog.createSystem");
    here.expects(/status of 409/);
    await policy.getByLabel("Needs a second person").click();
    // Nobody but the administrator may change policies, so nobody could take it back.
    await page.getByText("nobody could take this back").waitFor();
    await page.getByRole("button", { name: "Require a second person anyway" }).click();
    await page.getByTestId("row").filter({ has: policy }).getByText("second person", { exact: true }).waitFor();
    const chat = await Chat.open(page);
    const name = unique("Reviewed");
    await chat.ask(`Add a system called ${name}`);
    const mine = new Card(chat.cards.last());
    await mine.element.getByTestId("second-person").getByText("You proposed this").waitFor();
    expect(await mine.apply.isDisabled()).toBe(true);
    await chat.idle();
    await here.look("second-person-proposer");

    const other = await visit(second);
    await other.page.goto("/proposals");
    const theirs = new Card(other.page.getByTestId("proposal-card").filter({ hasText: name }));
    await theirs.pending();
    await theirs.element.getByText("Proposed by Administrator").first().waitFor();
    // The request behind the change is visible without a click, and the reason returns with the decision.
    await theirs.element.getByTestId("proposal-request").getByText(`Add a system called ${name}`).waitFor();
    await theirs.element.getByLabel("Reason (optional)").fill("Agreed in the review");
    await other.look("second-person-inbox");
    await theirs.apply.click();
    await other.page.getByTestId("toast").getByText("Applied").waitFor();
    await mine.outcome.getByText("Applied by Grace Hopper").waitFor();
    await mine.element.getByTestId("decision-reason-given").getByText("Agreed in the review").waitFor();
    await chat.answers.nth(1).waitFor();
    await chat.idle();
    const { systems } = await administrator.get<{ systems: Named[] }>(
      `/api/catalog/systems?query=${encodeURIComponent(name)}`,
    );
    expect(systems).toHaveLength(1);

    // The administration opens with the one page that this person may see.
    await other.page.getByTestId("nav-admin").first().click();
    await other.page.waitForURL("**/admin/audit");
    const tabs = other.page.getByRole("navigation", { name: "Administration" }).getByRole("link");
    await tabs.first().waitFor();
    expect(await tabs.allInnerTexts()).toEqual(["Audit log"]);
  });
});
