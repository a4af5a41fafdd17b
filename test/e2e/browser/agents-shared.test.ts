import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import type { Person } from "../stack/person";
import { put, right, schema, slugOf } from "./agentdata";
import { Chat } from "./chat";
import { unique } from "./names";
import { scripted as test } from "./test";

type Role = "button" | "combobox" | "checkbox";

/** Works with the keyboard alone. */
class Keyboard {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  focused(role: Role, name: string | RegExp) {
    return this.page.getByRole(role, { name }).and(this.page.locator(":focus"));
  }

  /** Tabs on until something has the focus, and fails when it cannot be reached. */
  async reach(role: Role, name: string | RegExp): Promise<void> {
    for (let tabs = 0; tabs < 80; tabs++) {
      if ((await this.focused(role, name).count()) > 0) return;
      await this.page.keyboard.press("Tab");
    }
    throw new Error(`Tab does not lead to ${name}`);
  }

  async press(role: Role, name: string | RegExp): Promise<void> {
    await this.reach(role, name);
    await this.page.keyboard.press("Enter");
  }
}

interface AgentOf {
  id: string;
  name: string;
}

async function newAgent(person: Person, name: string): Promise<AgentOf> {
  const { id } = await person.post<{ id: string }>("/api/agents", { name, slug: slugOf(name) });
  return { id, name };
}

describe("A tool that the assistant writes", () => {
  test("is read on its card and found in the draft, and a change of it is read as a difference", async ({
    visit,
    administrator,
  }) => {
    const agent = await newAgent(administrator, unique("Order desk"));
    const here = await visit();
    const { page } = here;
    let chat = await Chat.open(page);
    await chat.ask(`Write a tool for ${agent.name} that adds up prices`);
    const card = await chat.card();
    const payload = card.element.getByTestId("tool-payload");
    await payload.getByText("total-of-prices").waitFor();
    await payload.getByTestId("arguments").getByText("list of numbers").waitFor();
    await payload.getByTestId("script-source").getByText("satisfies CustomTool").waitFor();
    await card.element
      .getByTestId("proposal-effects")
      .getByText(/refers to no secret/)
      .waitFor();
    await chat.idle();
    await here.look("tool-card-new");
    await here.shrink("tool-card-new-phone");

    const keyboard = new Keyboard(page);
    await page.locator("body").focus();
    await keyboard.press("button", "Write custom tool");
    await card.outcome.getByText(/Applied by/).waitFor();
    await card.element.getByTestId("result-link").click();
    await page.getByTestId("revision-bar").getByText("Draft", { exact: true }).waitFor();
    await page.getByTestId("tool-card").getByText("total-of-prices").waitFor();

    // The author continues, and the assistant proposes a new version.
    await put(administrator, `/api/agents/${agent.id}/revisions/1/tools/total-of-prices`, {
      description: "Adds prices.",
      args_schema: JSON.parse(schema) as object,
      source: right,
      effect: "mutate",
    });
    chat = await Chat.open(page);
    await chat.ask(`Write a tool for ${agent.name} that adds up prices`);
    await chat.says("I have tried it");
    const change = await chat.card();
    const diff = change.element.getByTestId("diff");
    await diff.getByText('- if (args.prices.length === 0) throw new Error("there is nothing to add");').waitFor();
    await diff.getByText("+ return { total: args.prices.reduce((sum, next) => sum + next, 0) };").waitFor();
    await diff.locator("del", { hasText: "mutate" }).waitFor();
    await diff.locator("ins", { hasText: "read" }).waitFor();
    await chat.idle();
    await here.look("tool-card-diff");
    await here.shrink("tool-card-diff-phone");
    await diff.getByRole("button", { name: "Show side by side" }).click();
    await here.look("tool-card-diff-beside");

    // A colleague writes it again before the decision: their text stays.
    here.expects(/status of 409/);
    await put(administrator, `/api/agents/${agent.id}/revisions/1/tools/total-of-prices`, {
      description: "Adds prices, with care.",
      args_schema: JSON.parse(schema) as object,
      source: right,
      effect: "mutate",
    });
    await change.apply.click();
    await change.element.getByTestId("drift").getByText("Adds prices, with care.").waitFor();
    await here.look("tool-card-drift");
    const stored = await administrator.get<{ bundle: { tools: { description: string }[] } }>(
      `/api/agents/${agent.id}/revisions/1/bundle`,
    );
    expect(stored.bundle.tools.map(({ description }) => description)).toEqual(["Adds prices, with care."]);
  });

  test("is called in a chat by its name, and the card of a call that was applied says what it answered", async ({
    visit,
    administrator,
  }) => {
    const agent = await newAgent(administrator, unique("Desk"));
    await administrator.post(`/api/agents/${agent.id}/revisions`, {});
    for (const [tool, effect] of [
      ["total", "read"],
      ["book", "mutate"],
    ])
      await put(administrator, `/api/agents/${agent.id}/revisions/1/tools/${tool}`, {
        description: "Adds prices.",
        args_schema: JSON.parse(schema) as object,
        source: right,
        effect,
      });
    await administrator.post(`/api/agents/${agent.id}/revisions/1/freeze`, {});
    await administrator.post(`/api/agents/${agent.id}/revisions/1/promote`, {});
    const here = await visit();
    const { page } = here;
    const chat = await Chat.open(page);
    await chat.ask(`Call total of ${agent.name} with the prices 12.5 and 7`);
    await chat.says('{"total":19.5}');
    await chat.idle();

    await chat.ask(`Call book of ${agent.name} with the prices 2.5 and 4`);
    const card = await chat.card();
    await card.apply.click();
    const answer = card.element.getByTestId("called-answer");
    await answer.getByText("revision 1").waitFor();
    await answer.getByTestId("called-result").getByText('"total": 6.5').waitFor();
    await chat.idle();
    await here.look("called-answer");
    await here.shrink("called-answer-phone");

    // A tool that fails has been called all the same.
    await chat.perform(`r1.tool=agent.${slugOf(agent.name)}.book r1.input={"prices":[]} text="It waits for you."`);
    const failing = await chat.card();
    await failing.apply.click();
    await failing.element.getByTestId("called-answer").getByText("There is nothing to add.").waitFor();
    await chat.idle();
    await here.look("called-answer-failed");

    await page.goto("/proposals?status=applied");
    await page
      .getByTestId("proposal-card")
      .filter({ hasText: slugOf(agent.name) })
      .getByTestId("called-result")
      .getByText('"total": 6.5')
      .waitFor();
    await here.look("proposals-called-answer");
  });
});

describe("What is typed in the studio", () => {
  test("is there again after the browser was closed, with what it was tried with", async ({ visit, administrator }) => {
    const agent = await newAgent(administrator, unique("Night desk"));
    await administrator.post(`/api/agents/${agent.id}/revisions`, {});
    await put(administrator, `/api/agents/${agent.id}/revisions/1/tools/add`, {
      description: "Adds.",
      args_schema: JSON.parse(schema) as object,
      source: right,
    });
    const here = await visit();
    const { page } = here;
    await page.goto(`/agents/editor?agent=${agent.id}&revision=1&tool=add`);
    const source = page.getByRole("textbox", { name: /^Source of .* Escape/ });
    await source.waitFor();
    await page.getByText("JSON", { exact: true }).click();
    await page.getByTestId("args-json").fill('{ "prices": [2, 5] }');
    await page.getByLabel("Description").fill("Adds what was typed at night.");
    // Text typed at the last moment is kept as the page closes.
    page.on("dialog", (dialog) => void dialog.accept());
    await page.reload();
    await page.getByTestId("kept-draft").getByText("Restore draft").click();
    expect(await page.getByLabel("Description").inputValue()).toBe("Adds what was typed at night.");
    await source.waitFor();
    await page.getByTestId("dry-run").click();
    await page.getByTestId("run-result").getByText('"total": 7').waitFor();
    await page.getByTestId("save-tool").click();
    await page.getByTestId("save-state").getByText("Saved", { exact: true }).waitFor();
    await page.reload();
    await source.waitFor();
    expect(await page.getByTestId("kept-draft").count()).toBe(0);
  });
});

describe("What is typed in a form", () => {
  test("is saved after the session has ended meanwhile", async ({ visit, administrator, product }) => {
    const agent = await newAgent(administrator, unique("Morning desk"));
    await administrator.post(`/api/agents/${agent.id}/revisions`, {});
    const here = await visit();
    const { page } = here;
    here.expects(/status of 401/);
    await page.goto(`/agents/${agent.id}?tab=instructions`);
    await page.getByTestId("edit-instructions").click();
    await page.getByLabel("Instructions").fill("Be brief.");
    await page.context().clearCookies();
    await page.getByTestId("form-submit").click();
    const dialog = page.getByTestId("sign-in-again");
    await dialog.getByText("Your session has ended").waitFor();
    await here.look("agent-form-signed-out");
    await dialog.getByLabel("Password").fill(product.credentials.password);
    await dialog.getByTestId("sign-in-again-submit").click();
    await page.getByTestId("agent-md").getByText("Be brief.").waitFor();
  });
});

describe("The sharing of an agent", () => {
  test("is changed with the keyboard alone", async ({ visit, administrator }) => {
    const agent = await newAgent(administrator, unique("Shared desk"));
    const team = unique("Warehouse");
    await administrator.post("/api/teams", { name: team });
    const here = await visit();
    const { page } = here;
    const keyboard = new Keyboard(page);
    await page.goto(`/agents/${agent.id}?tab=sharing`);
    await page.getByTestId("sharing").getByText("Private: only those listed here").waitFor();

    await keyboard.press("button", "Change");
    const form = page.getByTestId("form-dialog");
    await form.waitFor();
    const before = await form.getByTestId("grant-editor").count();
    await keyboard.press("button", "Add access");
    await expect.poll(() => form.getByTestId("grant-editor").count()).toBe(before + 1);
    // The new row has the focus: nobody looks for where to write.
    await keyboard.focused("combobox", "Person, team or application").waitFor();
    await page.keyboard.type(team);
    await page.getByRole("option", { name: `${team} (team)` }).waitFor();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    await keyboard.focused("combobox", "May").waitFor();
    await page.keyboard.press("ArrowDown");
    await here.look("agent-sharing-form");
    await here.shrink("agent-sharing-form-phone");
    await keyboard.press("button", "Save");
    await form.waitFor({ state: "detached" });
    await page.getByTestId("grant").filter({ hasText: team }).getByText("write it").waitFor();
    await keyboard.focused("button", "Change").waitFor();
    await here.look("agent-sharing");
    await here.shrink("agent-sharing-phone");
  });

  test("keeps what was typed when somebody else changes it, and names nobody twice", async ({
    visit,
    administrator,
  }) => {
    const agent = await newAgent(administrator, unique("Contested desk"));
    const [mine, theirs] = [unique("Mine"), unique("Theirs")];
    await administrator.post("/api/teams", { name: mine });
    const { id } = await administrator.post<{ id: string }>("/api/teams", { name: theirs });
    const here = await visit();
    const { page } = here;
    here.expects(/status of 412/);
    await page.goto(`/agents/${agent.id}?tab=sharing`);
    await page.getByTestId("edit-sharing").click();
    const form = page.getByTestId("form-dialog");
    const share = async (name: string) => {
      await form.getByTestId("add-grant").click();
      const row = form.getByTestId("grant-editor").last();
      await row.getByRole("combobox", { name: "Person, team or application" }).fill(name);
      await page.getByRole("option", { name: `${name} (team)` }).click();
      return row;
    };
    await share(mine);
    const twice = await share(mine);
    await form.getByTestId("form-submit").click();
    await twice.getByText("Already listed.").waitFor();
    await here.look("agent-sharing-twice");
    await twice.getByRole("button", { name: /^Remove grant/ }).click();

    const path = `/api/grants/agent.agent/${agent.id}`;
    const now = await administrator.get<{ private: boolean; grants: object[] }>(path);
    const answer = await administrator.request(path, {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        private: now.private,
        grants: [...now.grants, { subjectType: "team", subjectId: id, relation: "viewer" }],
      }),
    });
    expect(answer.status).toBe(200);
    await form.getByTestId("form-submit").click();
    await form.getByTestId("form-conflict").waitFor();
    expect(await form.getByRole("combobox", { name: "Person, team or application" }).last().inputValue()).toBe(
      `${mine} (team)`,
    );
    await here.look("agent-sharing-conflict");
  });
});
