import {
  Client,
  type ElicitRequest,
  type ElicitResult,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { randomUUID } from "node:crypto";
import { describe, expect } from "vitest";
import type { Schema } from "../stack/api";
import type { Person } from "../stack/person";
import { Consent, endpointOf, outcome, systemsNamed, trust } from "./consent";
import { test } from "./test";

class Browser extends Consent<StoredOAuthClientInformation, StoredOAuthTokens> implements OAuthClientProvider {
  /** Whom the library has found, with whom it compares who answers. */
  #discovery?: OAuthDiscoveryState;

  saveDiscoveryState = (found: OAuthDiscoveryState) => void (this.#discovery = found);
  discoveryState = () => this.#discovery;
}

/** Reaction of a client's user to an elicitation. */
type Asked = (params: ElicitRequest["params"]) => Promise<ElicitResult> | ElicitResult;

/** A stock client that knows nothing but the address, signed in by its person, with every way to ask them. */
async function connect(person: Person, name: string, asked: Asked): Promise<Client> {
  const address = endpointOf(person);
  const browser = new Browser(person, name);
  const make = () => {
    const client = new Client(
      { name: "stock", version: "2" },
      { versionNegotiation: { mode: "auto" }, capabilities: { elicitation: { form: {}, url: {} } } },
    );
    client.setRequestHandler("elicitation/create", ({ params }) => asked(params));
    return client;
  };
  const first = new StreamableHTTPClientTransport(address, { authProvider: browser });
  await expect(make().connect(first)).rejects.toBeInstanceOf(UnauthorizedError);
  // The library compares the sender of the answer with the server that asked.
  await first.finishAuth(browser.answer);
  const client = make();
  await client.connect(new StreamableHTTPClientTransport(address, { authProvider: browser }));
  expect(client.getNegotiatedProtocolVersion()).toBe("2026-07-28");
  return client;
}

const inTheForm: ElicitResult = { action: "accept", content: { decision: "apply", reason: "Looks right" } };

describe.concurrent("A stock MCP client of the newest revision", () => {
  test("reads, and sends its person to the card within the call", async ({ person }) => {
    const opened: string[] = [];
    const client = await connect(person, "Newest TypeScript client", async (params) => {
      if (params.mode !== "url") throw new Error("only a page is asked for, as nobody trusts this program");
      opened.push(params.url);
      const [id] = /[0-9a-f-]{36}/.exec(params.url) ?? [];
      const { token } = await person.get<Schema<"ProposalCard">>(`/api/ai/proposals/${id}`);
      await person.post("/api/ai/proposals/apply", { token });
      return { action: "accept" };
    });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain("catalog_createSystem");
    expect(tools.map(({ name }) => name)).not.toContain("proposal_apply");

    const name = `Newest ${randomUUID()}`;
    const made = await outcome(client, "catalog_createSystem", { name });
    expect(made).toMatchObject({ status: "applied" });
    expect(opened).toEqual([made.confirmUrl]);
    expect(await systemsNamed(person, name)).toHaveLength(1);
    const found = await client.callTool({ name: "catalog_listSystems", arguments: { query: name } });
    expect(JSON.stringify(found.structuredContent)).toContain(name);
    const { contents } = await client.readResource({ uri: "countersign://docs/reference/mcp" });
    expect(contents).toMatchObject([{ mimeType: "text/markdown", text: expect.stringContaining("## Who may") }]);
    await client.close();
  });

  test("hears that an administrator trusts it, and asks by a form then", async ({ person }) => {
    const answers: ElicitResult[] = [];
    const asked: ElicitRequest["params"][] = [];
    const program = `Trusted newest client ${randomUUID()}`;
    const client = await connect(person, program, (params) => {
      asked.push(params);
      return answers.shift() ?? { action: "cancel" };
    });
    const changed = Promise.withResolvers<void>();
    client.setNotificationHandler("notifications/tools/list_changed", () => changed.resolve());
    const listening = await client.listen({ toolsListChanged: true });
    expect(listening.honoredFilter).toMatchObject({ toolsListChanged: true });
    await trust(person, program);
    await changed.promise;
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("proposal_apply");
    await listening.close();

    const name = `By a form ${randomUUID()}`;
    answers.push(inTheForm);
    const made = await outcome(client, "catalog_createSystem", { name });
    expect(made).toMatchObject({ status: "applied", reason: "Looks right" });
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({ message: expect.stringContaining(name), requestedSchema: { type: "object" } });
    const [system, ...more] = await systemsNamed(person, name);
    expect(more).toEqual([]);

    answers.push({ action: "decline" });
    const declined = await outcome(client, "catalog_updateSystem", { id: system?.id, description: "Not wanted" });
    expect(declined).toMatchObject({ status: "declined" });

    // Destructive changes are decided by looking at the card.
    answers.push({ action: "decline" });
    const removal = await client.callTool({ name: "catalog_deleteSystem", arguments: { id: system?.id } });
    expect(asked.at(-1)).toMatchObject({ mode: "url" });
    expect(JSON.stringify(removal.structuredContent)).not.toContain('"applied"');
    expect(await systemsNamed(person, name)).toHaveLength(1);
    await client.close();
  });
});
