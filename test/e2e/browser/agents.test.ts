import type { Page } from "playwright-core";
import { expect } from "vitest";
import { Person } from "../stack/person";
import { drafted, put, right, schema, slugOf } from "./agentdata";
import { Chat } from "./chat";
import { unique } from "./names";
import { scripted, test } from "./test";

/** The studio of one tool. */
class Studio {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  get source() {
    return this.page.getByRole("textbox", { name: /^Source of .* Escape/ });
  }

  get problems() {
    return this.page.getByTestId("script-problem");
  }

  get answer() {
    return this.page.getByTestId("run-answer");
  }

  async opened(): Promise<void> {
    await this.source.waitFor();
  }

  /** Pastes a text over the present one, as typing would close brackets and indent lines. */
  async write(field: ReturnType<Page["getByRole"]>, text: string): Promise<void> {
    await this.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await this.page.evaluate((copied) => navigator.clipboard.writeText(copied), text);
    await field.focus();
    await this.page.keyboard.press("ControlOrMeta+a");
    await this.page.keyboard.press("ControlOrMeta+v");
  }

  /** Waits until the server has said this about what stands in the editor. */
  async checked(text: string | RegExp): Promise<void> {
    await this.page.getByTestId("check-state").getByText(text).waitFor();
  }

  async save(): Promise<void> {
    await this.page.getByTestId("save-tool").click();
    await this.page.getByTestId("save-state").getByText("Saved", { exact: true }).waitFor();
  }
}

const wrong = `import type { CustomTool } from "@countersign/sdk/tool";

export default {
  actions: {
    default: async (args: { prices: number[] }, ctx) => {
      const total: number = eval("1 + 1");
      return { total };
    },
  },
} satisfies CustomTool;
`;

test("A tool is written, corrected and tried", async ({ visit }) => {
  const name = unique("Order desk");
  const here = await visit();
  const { page } = here;
  const studio = new Studio(page);
  await page.goto("/chat");
  await page.getByTestId("nav-agents").first().click();
  await page.getByTestId("agents-page").waitFor();
  await page.getByTestId("new-agent").click();
  const form = page.getByTestId("form-dialog");
  await form.getByLabel("Name", { exact: true }).fill(name);
  expect(await form.getByLabel("Short name").inputValue()).toBe(slugOf(name));
  await form.getByLabel("Description").fill("Adds up what people order.");
  await here.look("agent-form");
  await form.getByTestId("form-submit").click();
  await page.getByTestId("agent-page").getByText("No revision yet").waitFor();
  await page.getByTestId("new-draft").click();
  await page.getByTestId("revision-bar").getByText("Draft", { exact: true }).waitFor();

  await page.getByTestId("new-tool").click();
  const dialog = page.getByTestId("new-tool-dialog");
  await dialog.getByTestId("new-tool-confirm").click();
  await dialog.getByText("Fill this in.").waitFor();
  await dialog.getByLabel("Short name of the tool").fill("total-of-cart");
  await dialog.getByTestId("new-tool-confirm").click();
  await studio.opened();

  // The starter code is valid and only needs a description.
  await studio.checked("Checked: ready to save");
  await page.getByTestId("save-tool").click();
  await page.getByText("Say what the tool does, so that the assistant finds it.").waitFor();
  await page.getByRole("textbox", { name: "Description" }).and(page.locator(":focus")).waitFor();
  await here.look("tool-studio-new");
  await here.shrink("tool-studio-new-phone");

  // A mistake is said at its line, while it is typed and when it is saved.
  here.expects(/status of 422/);
  await page.getByLabel("Description").fill("Adds the prices of a cart.");
  await studio.write(page.getByRole("textbox", { name: /^JSON schema.* Escape/ }), schema);
  await studio.write(studio.source, wrong);
  const problem = studio.problems.filter({ hasText: "banned_eval" });
  await problem.getByText("6:29").waitFor();
  await studio.checked(/error/);
  await problem.click();
  await studio.source.and(page.locator(":focus")).waitFor();
  await here.look("tool-studio-problem");
  await here.shrink("tool-studio-problem-phone");
  await page.getByTestId("save-tool").click();
  await page.getByTestId("save-bar").getByText("Nothing was saved.").waitFor();

  await studio.write(studio.source, right);
  await studio.checked("Checked: ready to save");
  await expect.poll(() => studio.problems.count()).toBe(0);
  await page.getByTestId("arguments").getByText("list of numbers").waitFor();

  // The unsaved source runs. Invalid arguments are marked, and an error leads to its line.
  await page.getByTestId("dry-run").click();
  await page.getByText("Is required.").waitFor();
  await page.getByText("JSON", { exact: true }).click();
  await page.getByTestId("args-json").fill('{ "prices": [] }');
  await page.getByTestId("dry-run").click();
  await page.getByTestId("run-error").getByText("There is nothing to add.").waitFor();
  await page.getByTestId("run-frame").first().click();
  await studio.source.and(page.locator(":focus")).waitFor();
  await here.look("tool-studio-thrown");
  await page.getByText("Fields", { exact: true }).click();
  await page.getByRole("button", { name: "Add to prices" }).click();
  await page.getByRole("button", { name: "Add to prices" }).click();
  const prices = page.getByRole("group", { name: "Prices" }).getByRole("textbox");
  await prices.nth(0).fill("2.5");
  await prices.nth(1).fill("4");
  await studio.source.focus();
  await page.keyboard.press("ControlOrMeta+Enter");
  await studio.answer.getByText("Finished", { exact: true }).waitFor();
  await page.getByTestId("run-result").getByText("6.5").waitFor();
  await page.getByTestId("script-logs").getByText("adding").waitFor();
  await here.look("tool-studio");
  await here.shrink("tool-studio-phone");

  // Leaving the page does not lose typed text.
  await page.getByTestId("nav-catalog").first().click();
  const discard = page.getByTestId("discard-dialog");
  await discard.getByText("Keep editing").click();
  await studio.save();
  await page.getByTestId("save-example").click();
  await page.getByLabel("Name of the example").fill("Two things");
  await page.getByTestId("save-example-confirm").click();
  await page.getByTestId("example").getByText("Two things").waitFor();
  await page.getByTestId("run-examples").click();
  await page.getByTestId("examples-verdict").getByText("1 of 1 as expected.").waitFor();
  await here.look("tool-studio-examples");

  await page.getByRole("navigation", { name: "Breadcrumb" }).getByText(name).click();
  await page.getByTestId("tool-card").getByText("total-of-cart").waitFor();
  await page.goto("/agents?query=order");
  await page.getByTestId("agent-link").filter({ hasText: name }).waitFor();
  await here.look("agents");
  await here.shrink("agents-phone");
});

test("A revision is frozen once its examples are as expected, and goes live", async ({ visit, administrator }) => {
  const { agent, revision } = await drafted(administrator, right.replace("sum + price", "sum - price"));
  const examples = [{ name: "Two things", args: { prices: [2.5, 4] }, expect: { ok: true, result: { total: 6.5 } } }];
  await put(administrator, `${revision}/tools/total-of-cart/examples`, { examples });
  const here = await visit();
  const { page } = here;
  const studio = new Studio(page);
  await page.goto(`/agents/${agent}?revision=1`);

  // A failing example keeps the revision from being frozen.
  here.expects(/status of 422/);
  await page.getByTestId("tool-card").getByText("total-of-cart").waitFor();
  await here.look("agent-tools");
  await here.shrink("agent-tools-phone");
  await page.getByTestId("freeze").click();
  await page.getByTestId("step-confirm").click();
  const report = page.getByTestId("freeze-report");
  await report
    .locator('[data-code="example_failed"]')
    .getByText(/Two things/)
    .waitFor();
  await here.look("agent-freeze-refused");
  await report.getByText("Open total-of-cart").click();
  await studio.opened();
  await studio.write(studio.source, right);
  await studio.checked("Checked: ready to save");
  await studio.save();
  await page.goBack();
  await page.getByTestId("freeze").click();
  await page.getByTestId("step-confirm").click();
  await page.getByTestId("revision-bar").getByText("Ready", { exact: true }).waitFor();

  await page.getByTestId("promote").click();
  await page.getByTestId("promote-changes").getByText("total-of-cart becomes available as a new tool.").waitFor();
  await here.look("agent-promote");
  await page.getByTestId("step-confirm").click();
  await page.getByTestId("revision-bar").getByText("Live", { exact: true }).waitFor();
  await page.getByText("Live: revision 1").waitFor();
});

test("The next draft begins with what is live, and an older revision can be live again", async ({
  visit,
  administrator,
}) => {
  const { agent, revision } = await drafted(administrator);
  await administrator.post(`${revision}/freeze`, {});
  await administrator.post(`${revision}/promote`, {});
  const here = await visit();
  const { page } = here;
  const studio = new Studio(page);
  await page.goto(`/agents/${agent}`);
  await page.getByText("Live: revision 1").waitFor();

  // The differences are shown, and promoting the older revision rolls back.
  await page.getByTestId("new-draft").click();
  await page.waitForURL(/revision=2/);
  await page.getByTestId("open-studio").click();
  await studio.opened();
  await page.getByLabel("Description").fill("Adds the prices of a whole cart.");
  await studio.save();
  await page.goBack();
  await page.getByTestId("tab-revisions").click();
  await page.getByTestId("diff").getByText("Adds the prices of a whole cart.").first().waitFor();
  await here.look("agent-revisions");
  await page.getByTestId("freeze").click();
  await page.getByTestId("step-confirm").click();
  await page.getByTestId("promote").click();
  await page.getByTestId("promote-changes").getByText("total-of-cart gets new source code.").waitFor();
  await page.getByTestId("step-confirm").click();
  await page.getByText("Live: revision 2").waitFor();
  await page.getByTestId("revision-picker").selectOption("1");
  await page.getByTestId("promote").getByText("Roll back to it").click();
  await page.getByTestId("step-confirm").click();
  await page.getByText("Live: revision 1").waitFor();

  // A live revision is changed in a draft of its own.
  await page.goto(page.url().replace(/\?.*/, ""));
  await page.getByTestId("open-studio").click();
  await studio.opened();
  await page.getByTestId("new-draft").getByText("Change it in a new draft").click();
  await page.waitForURL(/editor\?.*revision=3/);
  await page.getByTestId("save-tool").waitFor();
});

test("A tool keeps what was typed when somebody else saves it meanwhile", async ({ visit, administrator }) => {
  const name = unique("Stock");
  const agent = await administrator.post<{ id: string }>("/api/agents", {
    name,
    slug: slugOf(name),
  });
  const draft = await administrator.post<{ id: string }>(`/api/agents/${agent.id}/revisions`, {});
  const tool = { description: "Adds.", args_schema: JSON.parse(schema) as object, source: right, effect: "read" };
  const tools = `/api/agents/${agent.id}/revisions/${draft.id}/tools`;
  await put(administrator, `${tools}/add`, tool);
  const here = await visit();
  const { page } = here;
  const studio = new Studio(page);
  await page.goto(`/agents/editor?agent=${agent.id}&revision=1&tool=add`);
  await studio.opened();
  await studio.write(studio.source, `// mine\n${right}`);

  // Another tool of the same revision is no conflict.
  here.expects(/status of 412/);
  await put(administrator, `${tools}/other`, tool);
  await studio.checked("Checked: ready to save");
  await studio.save();

  // The same tool is one: both are shown, and nothing is lost.
  await studio.write(studio.source, `// mine again\n${right}`);
  await put(administrator, `${tools}/add`, { ...tool, source: `// theirs\n${right}`, description: "Theirs." });
  await studio.checked("Checked: ready to save");
  await page.getByTestId("save-tool").click();
  const both = page.getByTestId("both-changed");
  await both.getByText("// theirs").waitFor();
  await both.getByText("// mine again").waitFor();
  expect(await page.getByLabel("Description").inputValue()).toBe("Theirs.");
  await here.look("tool-studio-conflict");
  await studio.save();

  // Text typed before the page was lost is restored.
  await studio.write(studio.source, `// lost\n${right}`);
  await studio.checked("Checked: ready to save");
  await page.evaluate(() => window.dispatchEvent(new Event("pagehide")));
  const again = await here.tab(`/agents/editor?agent=${agent.id}&revision=1&tool=add`);
  await again.getByTestId("kept-draft").getByText("Restore draft").click();
  await again.locator(".view-line", { hasText: "// lost" }).waitFor();
});

test("Who may only use an agent reads it and changes nothing", async ({ visit, administrator }) => {
  const name = unique("Reader");
  const agent = await administrator.post<{ id: string }>("/api/agents", {
    name,
    slug: slugOf(name),
    private: false,
  });
  const draft = await administrator.post<{ id: string }>(`/api/agents/${agent.id}/revisions`, {});
  await put(administrator, `/api/agents/${agent.id}/revisions/${draft.id}/tools/add`, {
    description: "Adds.",
    args_schema: JSON.parse(schema) as object,
    source: right,
  });
  const { id } = await administrator.post<{ id: string }>("/api/roles", {
    name: unique("Agent users"),
    rules: ["agent.agent.read"],
  });
  const credentials = { email: `${unique("joan").replace(" ", "-")}@example.org`, password: "correct horse battery" };
  await administrator.post("/api/users", { ...credentials, name: "Joan Clarke", roleIds: [id] });
  const here = await visit(await Person.signIn(administrator.base, credentials));
  const { page } = here;
  await page.goto("/agents");
  expect(await page.getByTestId("new-agent").count()).toBe(0);
  await page.getByTestId("agent-link").filter({ hasText: name }).click();
  await page.getByTestId("tool-card").waitFor();
  for (const offered of ["new-tool", "freeze", "promote", "new-draft", "edit-agent", "delete-agent"])
    expect(await page.getByTestId(offered).count()).toBe(0);
  for (const tab of ["instructions", "skills", "spec", "revisions", "uses", "sharing"]) {
    await page.getByTestId(`tab-${tab}`).click();
    await page.waitForURL(new RegExp(`tab=${tab}`));
    await here.look(`agent-${tab}-reader`);
  }
  await page.getByTestId("tab-tools").click();
  await page.getByTestId("open-studio").click();
  await new Studio(page).opened();
  expect(await page.getByTestId("save-tool").count()).toBe(0);
  expect(await page.getByLabel("Description").isDisabled()).toBe(true);
});

scripted(
  "A live tool is called in a chat, asks before a change, and its calls are listed",
  async ({ visit, administrator }) => {
    const name = unique("Desk");
    const slug = slugOf(name);
    const agent = await administrator.post<{ id: string }>("/api/agents", { name, slug });
    const { id } = await administrator.post<{ id: string }>(`/api/agents/${agent.id}/revisions`, {});
    const revision = `/api/agents/${agent.id}/revisions/${id}`;
    const tool = { description: "Adds prices.", args_schema: JSON.parse(schema) as object, source: right };
    await put(administrator, `${revision}/tools/total`, { ...tool, effect: "read" });
    await put(administrator, `${revision}/tools/book`, { ...tool, effect: "mutate" });
    await administrator.post(`${revision}/freeze`, {});
    await administrator.post(`${revision}/promote`, {});

    const here = await visit();
    const { page } = here;
    const chat = await Chat.open(page);
    await chat.perform(`tool=agent.${slug}.total input={"prices":[1,2]} text="It is 3."`);
    await chat.says("It is 3.");
    await chat.idle();
    const line = chat.answers.last().getByTestId("tool-line");
    await line.getByText(`Called “total” of ${slug}`).waitFor();
    await line.getByRole("button").first().click();
    await line.getByText("Answered").waitFor();
    await line.getByTestId("tool-raw").click();
    await line.getByText('"total": 3').waitFor();
    await here.look("agent-chat");

    await chat.perform(`r1.tool=agent.${slug}.book r1.input={"prices":[2,5]} text="It waits for you."`);
    const card = await chat.card();
    await card.element.getByText(`Call “book” of ${slug}`).first().waitFor();
    await card.element.getByText(/Revision 1 of the agent runs/).waitFor();
    await here.look("agent-chat-card");
    await here.shrink("agent-chat-card-phone");
    await card.apply.click();
    await card.outcome.waitFor();
    await chat.says("was done.");
    await chat.idle();

    // It is proposed and declined, so nothing is sent.
    const request = {
      method: "POST",
      url: "https://1.1.1.1/orders",
      headers: { "Content-Type": "text/plain" },
      body: "two",
    };
    await chat.perform(`r1.tool=http.request r1.input=${JSON.stringify(request)} text="A request waits for you."`);
    const sending = await chat.card();
    const facts = sending.element.getByTestId("http-request");
    await facts.getByText("https://1.1.1.1/orders").waitFor();
    await facts.getByText("text/plain").waitFor();
    await here.look("http-request-card");
    await here.shrink("http-request-card-phone");
    await sending.decline.click();

    await page.goto(`/agents/${agent.id}?tab=uses`);
    await expect.poll(() => page.getByTestId("uses").getByTestId("row").count()).toBe(2);
    await page
      .getByTestId("uses")
      .getByText(/in a chat/)
      .first()
      .waitFor();
    await here.look("agent-uses");
  },
);
