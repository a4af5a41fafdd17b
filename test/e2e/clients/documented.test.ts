import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { generateText, type ModelMessage, streamText } from "ai";
import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect } from "vitest";
import type { Person } from "../stack/person";
import { endpointOf, outcome, systemsNamed } from "./consent";
import { test } from "./test";

/** Where the pages say that the product is. */
const documented = "https://countersign.example.com";

/** The block of a language on a page that holds a text. */
async function block(page: string, language: string, holding: string): Promise<string> {
  const text = await readFile(new URL(`../../../docs/how-to/${page}.md`, import.meta.url), "utf8");
  for (const [, said, body = ""] of text.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)) {
    if (said === language && body.includes(holding)) return body;
  }
  throw new Error(`${page} has no block of ${language} with ${holding}`);
}

/** Starts mcp-remote as the page says, but from what is installed, and at an address of this machine. */
async function remote(person: Person, holding: string, more: string[], token: string): Promise<StdioClientTransport> {
  const config = JSON.parse(await block("connect-an-editor", "json", holding)) as {
    mcpServers: { countersign: { command: string; args: string[]; env?: Record<string, string> } };
  };
  const { command, args, env } = config.mcpServers.countersign;
  expect([command, ...args.slice(0, 2)]).toEqual(["npx", "-y", "mcp-remote"]);
  const program = fileURLToPath(new URL("../node_modules/mcp-remote/dist/proxy.js", import.meta.url));
  const home = await mkdtemp(join(tmpdir(), "mcp-remote-"));
  const given = args.slice(2).map((arg) => arg.replace(`${documented}/mcp`, String(endpointOf(person))));
  return new StdioClientTransport({
    command: process.execPath,
    args: [program, ...given, ...more],
    env: {
      PATH: process.env.PATH ?? "",
      HOME: home,
      MCP_REMOTE_CONFIG_DIR: home,
      // The values that a person fills in.
      ...Object.fromEntries(Object.entries(env ?? {}).map(([name, value]) => [name, value.replace("<token>", token)])),
    },
    stderr: "pipe",
  });
}

describe.concurrent("What the pages about clients say", () => {
  test("Claude Desktop works through mcp-remote, which signs the person in", async ({ person }) => {
    const transport = await remote(person, '"https://countersign.example.com/mcp"]', [], "");
    const signedIn = new Promise<void>((resolve, reject) => {
      let said = "";
      let opened = false;
      transport.stderr?.on("data", (data: Buffer) => {
        said += String(data);
        const [address] = /http\S+\/oauth\/authorize\S+/.exec(said) ?? [];
        if (opened || address === undefined || !said.includes(`${address}\n`)) return;
        opened = true;
        allow(person, address).then(resolve, reject);
      });
    });
    const client = new Client({ name: "claude-desktop", version: "1" });
    const connected = client.connect(transport, { timeout: 120_000 });
    await signedIn;
    await connected;
    const { tools, nextCursor } = await client.listTools();
    expect(nextCursor).toBeUndefined();
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["proposal_wait", "catalog_createSystem"]));
    const name = `By mcp-remote ${Date.now()}`;
    expect(await outcome(client, "catalog_createSystem", { name })).toMatchObject({ status: "proposed" });
    expect(await systemsNamed(person, name)).toEqual([]);
    await client.close();
  });

  test("mcp-remote takes the token of an application", async ({ person }) => {
    const role = await person.post<{ id: string }>("/api/roles", {
      name: `Desktop ${Date.now()}`,
      rules: ["ai.chat.read"],
    });
    const { token } = await person.post<{ token: string }>("/api/applications", {
      name: `Desktop ${Date.now()}`,
      roleIds: [role.id],
    });
    const transport = await remote(person, "Authorization:${AUTH_HEADER}", [], token);
    const client = new Client({ name: "claude-desktop", version: "1" });
    await client.connect(transport, { timeout: 120_000 });
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("proposal_wait");
    await client.close();
  });

  test("the AI SDK chats, whole and streamed", async ({ person }) => {
    const source = await block("chat-from-a-library", "ts", "createOpenAICompatible");
    expect(source).toContain("baseURL: 'https://countersign.example.com/v1'");
    const { token } = await person.post<{ token: string }>("/api/auth/chat-tokens", { name: "AI SDK" });
    const countersign = createOpenAICompatible({ name: "countersign", baseURL: `${person.base}/v1`, apiKey: token });
    const whole = await generateText({ model: countersign("countersign"), prompt: "Explain how proposals expire" });
    expect(whole.text).toContain("From the documentation");
    const streamed = streamText({ model: countersign("countersign"), prompt: "Which systems do we have?" });
    let said = "";
    for await (const part of streamed.textStream) said += part;
    expect(said).not.toBe("");
  });

  test("the OpenAI provider of the AI SDK chats over the Responses API, in one conversation", async ({ person }) => {
    const source = await block("chat-from-a-library", "ts", "createOpenAI(");
    expect(source).toContain("baseURL: 'https://countersign.example.com/v1'");
    const { token } = await person.post<{ token: string }>("/api/auth/chat-tokens", { name: "AI SDK" });
    const paths: string[] = [];
    const conversations: (string | null)[] = [];
    const model = createOpenAI({
      baseURL: `${person.base}/v1`,
      apiKey: token,
      fetch: async (address, init) => {
        const answer = await fetch(address, init);
        paths.push(new URL(String(address)).pathname);
        conversations.push(answer.headers.get("countersign-conversation"));
        return answer;
      },
    })("countersign");
    const messages: ModelMessage[] = [{ role: "user", content: "Explain how proposals expire" }];
    const whole = await generateText({ model, messages });
    expect(whole.text).toContain("From the documentation");
    expect(whole.finishReason).toBe("stop");
    expect(whole.usage.totalTokens).toBeGreaterThan(0);

    messages.push(...whole.response.messages, { role: "user", content: "Which systems do we have?" });
    const streamed = streamText({ model, messages });
    let said = "";
    for await (const part of streamed.textStream) said += part;
    expect(said).not.toBe("");
    expect(await streamed.finishReason).toBe("stop");

    messages.push(...(await streamed.response).messages, { role: "user", content: "Thanks" });
    await generateText({ model, messages });
    expect(paths).toEqual(["/v1/responses", "/v1/responses", "/v1/responses"]);
    expect(new Set(conversations).size).toBe(1);
    const stored = await person.get<{ messages: unknown[] }>(`/api/ai/conversations/${conversations[0]}`);
    expect(stored.messages).toHaveLength(6);
  });
});

/** Plays the browser that mcp-remote opens. */
async function allow(person: Person, address: string): Promise<void> {
  const opened = await fetch(address, { redirect: "manual" });
  const page = new URL(opened.headers.get("location") ?? "", address);
  const { redirect } = await person.post<{ redirect: string }>("/api/oauth/decision", {
    request: page.searchParams.get("request"),
    allow: true,
  });
  expect((await fetch(redirect)).ok).toBe(true);
}
