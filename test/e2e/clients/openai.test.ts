import { randomUUID } from "node:crypto";
import OpenAI, { APIError } from "openai";
import { describe, expect } from "vitest";
import type { Person } from "../stack/person";
import { test } from "./test";

type Message = OpenAI.Chat.Completions.ChatCompletionMessageParam;

/** The stock client with a chat token of the person. */
async function clientOf(person: Person): Promise<OpenAI> {
  const { token } = await person.post<{ token: string }>("/api/auth/chat-tokens", { name: "Stock client" });
  return new OpenAI({ baseURL: `${person.base}/v1`, apiKey: token, maxRetries: 0 });
}

const asks = (content: string): Message => ({ role: "user", content });

async function systems(person: Person, name: string): Promise<number> {
  const found = await person.get<{ systems: unknown[] }>(`/api/catalog/systems?query=${encodeURIComponent(name)}`);
  return found.systems.length;
}

describe.concurrent("The stock OpenAI client", () => {
  test("lists the assistant and its skills", async ({ person }) => {
    const client = await clientOf(person);
    const ids: string[] = [];
    for await (const { id } of client.models.list()) ids.push(id);
    expect(ids).toEqual(expect.arrayContaining(["countersign", "countersign/incident-commander"]));
    expect(await client.models.retrieve("countersign")).toMatchObject({ id: "countersign", object: "model" });
  });

  test("goes on in one conversation, whole and streamed", async ({ person }) => {
    const client = await clientOf(person);
    const messages: Message[] = [asks("Explain how proposals expire")];
    const first = await client.chat.completions.create({ model: "countersign", messages }).withResponse();
    const [choice] = first.data.choices;
    expect(choice?.finish_reason).toBe("stop");
    expect(choice?.message.content).toContain("From the documentation");
    expect(first.data.usage?.total_tokens).toBeGreaterThan(0);
    const conversation = first.response.headers.get("countersign-conversation");

    messages.push({ role: "assistant", content: choice?.message.content ?? "" }, asks("Which systems do we have?"));
    const stream = client.chat.completions.stream({
      model: "countersign",
      messages,
      stream_options: { include_usage: true },
    });
    let said = "";
    for await (const chunk of stream) said += chunk.choices[0]?.delta.content ?? "";
    const last = await stream.finalChatCompletion();
    expect(last.choices[0]?.message.content).toBe(said);
    expect(said).not.toBe("");
    expect(last.usage?.total_tokens).toBeGreaterThan(0);
    const stored = await person.get<{ messages: unknown[] }>(`/api/ai/conversations/${conversation}`);
    expect(stored.messages).toHaveLength(4);
  });

  test("is told of a change in words, and changes nothing", async ({ person }) => {
    const client = await clientOf(person);
    const name = `Ledger ${randomUUID().slice(0, 8)}`;
    const answer = await client.chat.completions.create({
      model: "countersign",
      messages: [asks(`Add a system called ${name} owned by the platform team`)],
    });
    const text = answer.choices[0]?.message.content ?? "";
    expect(text).toContain("Waiting for a decision");
    const [, id = ""] = /\/proposals\?proposal=([\w-]{36})/.exec(text) ?? [];
    expect(await person.get(`/api/ai/proposals/${id}`)).toMatchObject({ status: "proposed" });
    expect(await systems(person, name)).toBe(0);
  });

  test("uses the Responses API, whole, streamed, and behind a response", async ({ person }) => {
    const client = await clientOf(person);
    const first = await client.responses.create({ model: "countersign", input: "Explain how proposals expire" });
    expect(first.status).toBe("completed");
    expect(first.output_text).toContain("From the documentation");
    expect(first.usage?.total_tokens).toBeGreaterThan(0);
    const stream = client.responses.stream({
      model: "countersign",
      input: [
        { role: "user", content: "Explain how proposals expire" },
        { role: "assistant", content: first.output_text },
        { role: "user", content: "Which systems do we have?" },
      ],
    });
    let said = "";
    const kinds = new Set<string>();
    for await (const event of stream) {
      kinds.add(event.type);
      if (event.type === "response.output_text.delta") said += event.delta;
    }
    const last = await stream.finalResponse();
    expect(last.output_text).toBe(said);
    expect(said).not.toBe("");
    expect([...kinds]).toEqual(
      expect.arrayContaining(["response.created", "response.output_item.done", "response.completed"]),
    );
    const behind = await client.responses
      .create({ model: "countersign", input: "Thanks", previous_response_id: last.id })
      .withResponse();
    const conversation = behind.response.headers.get("countersign-conversation");
    const stored = await person.get<{ messages: unknown[] }>(`/api/ai/conversations/${conversation}`);
    expect(stored.messages).toHaveLength(6);
    expect(await client.responses.cancel(first.id)).toMatchObject({ id: first.id, status: "completed" });
  });

  test("retries into one turn and one proposal", async ({ person }) => {
    const client = (await clientOf(person)).withOptions({ maxRetries: 2, timeout: 1 });
    const name = `Ledger ${randomUUID().slice(0, 8)}`;
    const patient = client.withOptions({ timeout: 60_000 });
    const body = { model: "countersign", messages: [asks(`Add a system called ${name} owned by the platform team`)] };
    await client.chat.completions.create(body).catch(() => undefined);
    const headers = { "X-Stainless-Retry-Count": "3" };
    const answer = await patient.chat.completions.create(body, { headers });
    expect(answer.choices[0]?.message.content).toContain("Waiting for a decision");
    const { proposals } = await person.get<{ proposals: { summary: string }[] }>("/api/ai/proposals?status=proposed");
    expect(proposals.filter(({ summary }) => summary.includes(name))).toHaveLength(1);
  });

  test("gets errors that it understands", async ({ person }) => {
    const client = await clientOf(person);
    const messages = [asks("Hello")];
    const refusals: [() => Promise<unknown>, number][] = [
      [async () => client.chat.completions.create({ model: "gpt-5", messages }), 404],
      [async () => client.chat.completions.create({ model: "countersign", messages, n: 2 }), 400],
      [async () => client.withOptions({ apiKey: "cst_wrong" }).models.list(), 401],
    ];
    for (const [call, status] of refusals) {
      const error: unknown = await call().then(
        () => null,
        (failure: unknown) => failure,
      );
      expect(error).toBeInstanceOf(APIError);
      expect(error).toMatchObject({ status, code: expect.any(String) });
    }
  });
});
