import { UnauthorizedError, type OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { OAuthClientInformationMixed, OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { randomUUID } from "node:crypto";
import { describe, expect } from "vitest";
import type { Schema } from "../stack/api";
import type { Person } from "../stack/person";
import { Consent, endpointOf, outcome, systemsNamed, trust } from "./consent";
import { test } from "./test";

class Browser extends Consent<OAuthClientInformationMixed, OAuthTokens> implements OAuthClientProvider {}

/** A stock client that knows nothing but the address, signed in by its person. It listens, as it does by itself, once this is done. */
async function connect(person: Person, name = "Stock TypeScript client"): Promise<Client> {
  const address = endpointOf(person);
  const browser = new Browser(person, name);
  const client = new Client({ name: "stock", version: "1" });
  const first = new StreamableHTTPClientTransport(address, { authProvider: browser });
  await expect(client.connect(first)).rejects.toBeInstanceOf(UnauthorizedError);
  await first.finishAuth(browser.answer.get("code") ?? "");
  const listening = Promise.withResolvers<Response>();
  const observed: typeof fetch = async (url, init) => {
    const response = await fetch(url, init);
    if (init?.method === "GET" && String(url) === String(address)) listening.resolve(response);
    return response;
  };
  await client.connect(new StreamableHTTPClientTransport(address, { authProvider: browser, fetch: observed }));
  expect((await listening.promise).status).toBe(200);
  return client;
}

describe.concurrent("A stock MCP client", () => {
  test("signs its person in, reads, proposes, and hears what was decided in the app", async ({ person }) => {
    const client = await connect(person);
    const tools: string[] = [];
    let cursor: string | undefined;
    do {
      // oxlint-disable-next-line no-await-in-loop -- a page tells where the next one begins
      const page = await client.listTools(cursor ? { cursor } : {});
      tools.push(...page.tools.map(({ name }) => name));
      cursor = page.nextCursor;
    } while (cursor);
    expect(tools).toContain("catalog_createSystem");
    expect(tools).not.toContain("proposal_apply");

    const name = `Payments ${randomUUID()}`;
    const proposed = await outcome(client, "catalog_createSystem", { name });
    expect(proposed).toMatchObject({ status: "proposed", confirmUrl: expect.stringContaining(proposed.proposalId) });
    expect(proposed.token).toBeUndefined();
    const waiting = outcome(client, "proposal_wait", { proposalId: proposed.proposalId, seconds: 45 });
    const { token } = await person.get<Schema<"ProposalCard">>(`/api/ai/proposals/${proposed.proposalId}`);
    await person.post("/api/ai/proposals/apply", { token });
    expect(await waiting).toMatchObject({ status: "applied" });

    // The library checks results against the schemas of the page that was listed last.
    expect((await client.listTools()).tools.map(({ name: tool }) => tool)).toContain("catalog_listSystems");
    const found = await client.callTool({ name: "catalog_listSystems", arguments: { query: name } });
    expect(JSON.stringify(found.structuredContent)).toContain(name);
    await client.close();
  });

  test("applies what it has asked for, once an administrator trusts it, and nothing else", async ({ person }) => {
    const program = `Trusted TypeScript client ${randomUUID()}`;
    const client = await connect(person, program);
    const before = await outcome(client, "catalog_createSystem", { name: `Before ${randomUUID()}` });
    expect(before.token).toBeUndefined();
    const changed = Promise.withResolvers<void>();
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => changed.resolve());
    await trust(person, program);
    await changed.promise;
    const tools = await client.listTools();
    expect(JSON.stringify([tools, await client.listTools({ cursor: tools.nextCursor })])).toContain("proposal_apply");

    const name = `Trusted ${randomUUID()}`;
    const asked = await outcome(client, "catalog_createSystem", { name });
    expect(asked).toMatchObject({ status: "proposed", token: expect.stringContaining(asked.proposalId) });
    const find = () => systemsNamed(person, name);
    expect(await find()).toEqual([]);
    expect(await outcome(client, "proposal_apply", { token: asked.token })).toMatchObject({ status: "applied" });
    const [system, ...more] = await find();
    expect(system).toMatchObject({ name });
    expect(more).toEqual([]);
    // A repeat returns the outcome.
    expect(await outcome(client, "proposal_apply", { token: asked.token })).toMatchObject({ status: "applied" });

    // Destructive changes are decided by looking at the card.
    const removal = await outcome(client, "catalog_deleteSystem", { id: system?.id });
    expect(removal).toMatchObject({ status: "proposed" });
    expect(removal.token).toBeUndefined();
    const card = await person.get<Schema<"ProposalCard">>(`/api/ai/proposals/${removal.proposalId}`);
    const refused = await client.callTool({ name: "proposal_apply", arguments: { token: card.token } });
    expect(refused.isError).toBe(true);
    expect(JSON.stringify(refused.content)).toContain("in the app");
    expect(await find()).toHaveLength(1);
    await client.close();
  });

  test("reads resources, prompts and completions", async ({ person }) => {
    const client = await connect(person);
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toContain("countersign://docs/reference/mcp");
    const { contents } = await client.readResource({ uri: "countersign://docs/reference/mcp" });
    expect(contents).toMatchObject([{ mimeType: "text/markdown", text: expect.stringContaining("## Who may") }]);
    const { prompts } = await client.listPrompts();
    const [prompt] = prompts;
    expect(prompt).toBeDefined();
    const { messages } = await client.getPrompt({
      name: prompt?.name ?? "",
      arguments: { request: "Look at Payments" },
    });
    expect(JSON.stringify(messages)).toContain("Look at Payments");
    const { completion } = await client.complete({
      ref: { type: "ref/resource", uri: "countersign://docs/{+slug}" },
      argument: { name: "slug", value: "mcp" },
    });
    expect(completion.values).toContain("reference/mcp");
    await client.close();
  });
});
