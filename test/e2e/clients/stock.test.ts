import {
  AbstractChat,
  DefaultChatTransport,
  isToolUIPart,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type ChatState,
  type ChatStatus,
  type HttpChatTransportInitOptions,
  type UIMessage,
} from "ai";
import { randomUUID } from "node:crypto";
import { describe, expect } from "vitest";
import type { Person } from "../stack/person";
import { Wire } from "./events";
import { scriptedModel } from "./gate";
import { test } from "./test";

/** State of a chat as useChat keeps it, without React. */
class State implements ChatState<UIMessage> {
  status: ChatStatus = "ready";
  error: Error | undefined;
  messages: UIMessage[] = [];

  pushMessage = (message: UIMessage): void => {
    this.messages = [...this.messages, message];
  };
  popMessage = (): void => {
    this.messages = this.messages.slice(0, -1);
  };
  replaceMessage = (index: number, message: UIMessage): void => {
    this.messages = this.messages.with(index, structuredClone(message));
  };
  snapshot = <T>(thing: T): T => structuredClone(thing);
}

/** Chat that knows only the address; the id is the SDK's own, and the session is the browser's cookie. */
class Chat extends AbstractChat<UIMessage> {
  readonly wire: Wire;

  constructor({ base, cookie }: Person, id?: string) {
    const wire = new Wire();
    const options: HttpChatTransportInitOptions<UIMessage> = {
      api: `${base}/api/ai/chat`,
      headers: { cookie },
      fetch: wire.fetch,
    };
    super({
      ...(id !== undefined && { id }),
      transport: new DefaultChatTransport(options),
      state: new State(),
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    });
    this.wire = wire;
  }

  /** Says something to the scripted model. */
  async say(directives: string, messageId?: string): Promise<void> {
    const text = `script: ${directives} id=${randomUUID()}`;
    await this.sendMessage({ text, ...(messageId !== undefined && { messageId }) }, { body: { model: scriptedModel } });
  }

  /** Request ids of pending decisions. */
  get approvals(): string[] {
    return this.messages.flatMap(({ parts }) =>
      parts.flatMap((part) => (isToolUIPart(part) && part.state === "approval-requested" ? [part.approval.id] : [])),
    );
  }

  /** The states of all tool calls. */
  get calls(): string[] {
    return this.messages.flatMap(({ parts }) => parts.filter(isToolUIPart).map(({ state }) => state));
  }

  /** Answers an approval and waits until what the client sends by itself has been answered. */
  async answer(id: string, approved: boolean, reason?: string): Promise<void> {
    await this.addToolApprovalResponse({ id, approved, ...(reason !== undefined && { reason }) });
    await expect.poll(() => this.status === "ready" && !this.calls.includes("approval-responded")).toBe(true);
  }

  get texts(): string[] {
    return this.messages
      .filter(({ role }) => role === "assistant")
      .map(({ parts }) => parts.map((part) => (part.type === "text" ? part.text : "")).join(""));
  }
}

interface Stored {
  id: string;
  clientId?: string;
  messages: UIMessage[];
}

/** The conversation that the server keeps for a chat. */
async function stored(person: Person, { id }: Chat): Promise<Stored> {
  const { conversations } = await person.get<{ conversations: Stored[] }>("/api/ai/conversations?limit=200");
  const found = conversations.find(({ clientId }) => clientId === id);
  if (!found) throw new Error(`no conversation is called ${id}`);
  return person.get<Stored>(`/api/ai/conversations/${found.id}`);
}

interface Proposal {
  status: string;
  decisionReason?: string;
  token?: string;
}

const proposal = (person: Person, id: string) => person.get<Proposal>(`/api/ai/proposals/${id}`);

const named = (name: string) => `${name} ${randomUUID().slice(0, 8)}`;

const plain = (messages: UIMessage[]) => JSON.parse(JSON.stringify(messages)) as unknown;

/** Requires that the client has what is stored; metadata of a person's message is the server's alone. */
async function expectStored(person: Person, chat: Chat): Promise<void> {
  const { messages } = await stored(person, chat);
  expect(messages.map(({ id, role, parts }) => ({ id, role, parts }))).toEqual(
    plain(chat.messages.map(({ id, role, parts }) => ({ id, role, parts }) as UIMessage)),
  );
}

describe.concurrent("useChat with nothing but the address", () => {
  test("asks, asks on, and has what is stored", async ({ person }) => {
    const chat = new Chat(person);
    await chat.say('text="One."');
    expect(chat.error).toBeUndefined();
    await chat.say('tool=ai.listDocs text="Two."');
    expect(chat.texts).toEqual(["One.", "Two."]);
    await expectStored(person, chat);
  });

  test("regenerates an answer", async ({ person }) => {
    const chat = new Chat(person);
    await chat.say('text="One."');
    await chat.say('text="Two."');
    const before = chat.lastMessage?.id;
    await chat.regenerate({ ...(before !== undefined && { messageId: before }), body: { model: scriptedModel } });
    expect(chat.error).toBeUndefined();
    expect(chat.lastMessage?.id).not.toBe(before);
    await chat.regenerate({ body: { model: scriptedModel } });
    expect(chat.texts).toEqual(["One.", "Two."]);
    await expectStored(person, chat);
  });

  test("edits a message", async ({ person }) => {
    const chat = new Chat(person);
    await chat.say('text="One."');
    await chat.say('text="Two."');
    await chat.say('text="Three."');
    await chat.say('text="Other."', chat.messages[2]?.id);
    expect(chat.error).toBeUndefined();
    expect(chat.texts).toEqual(["One.", "Other."]);
    await expectStored(person, chat);
  });

  test("resumes, also before anything was said, and stops", async ({ person }) => {
    const chat = new Chat(person);
    await chat.resumeStream();
    expect(chat).toMatchObject({ status: "ready", error: undefined, messages: [] });
    const saying = chat.say("tokens=10000 delay_token=10ms");
    await chat.wire.until(({ type }) => type === "text-delta");
    const window = new Chat(person, chat.id);
    const resuming = window.resumeStream();
    await window.wire.until(({ type }) => type === "text-delta");
    await person.post(`/api/ai/chat/${encodeURIComponent(chat.id)}/stop`);
    await Promise.all([saying, resuming]);
    const { messages } = await stored(person, chat);
    expect(messages.at(-1)).toMatchObject({ role: "assistant", metadata: { status: "stopped" } });
    expect(window.lastMessage?.id).toBe(messages.at(-1)?.id);
    expect(window.texts).toEqual(chat.texts);
  });

  test("goes on where the server's history stands, whatever the client has kept", async ({ person }) => {
    const chat = new Chat(person);
    await chat.say('text="One."');
    const forgetful = new Chat(person, chat.id);
    await forgetful.say('text="Two."');
    expect(forgetful.texts).toEqual(["Two."]);
    expect((await stored(person, chat)).messages).toHaveLength(4);
  });

  test("is told in plain words what cannot be", async ({ person }) => {
    const chat = new Chat(person);
    await chat.sendMessage({
      text: "Read this",
      files: [{ type: "file", mediaType: "text/plain", url: "data:text/plain,x" }],
    });
    expect(chat.error).toMatchObject({ statusCode: 422, responseBody: expect.stringContaining("reads text alone") });
  });
});

describe("The approval UI of a stock client", () => {
  test("applies a change, and the answer goes on in the same message", async ({ person }) => {
    const chat = new Chat(person);
    const name = named("Approved");
    await chat.say(`tool=catalog.createSystem input={"name":"${name}"}`);
    const [id = ""] = chat.approvals;
    const { token = "none" } = await proposal(person, id);
    await chat.answer(id, true, "Looks right");
    expect(chat.error).toBeUndefined();
    expect(chat.calls).toEqual(["output-available"]);
    expect(chat.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
    expect(chat.texts.join("")).not.toBe("");
    expect(await proposal(person, id)).toMatchObject({ status: "applied", decisionReason: "Looks right" });
    expect(JSON.stringify([chat.messages, chat.wire.events])).not.toContain(token);
    const { messages } = await stored(person, chat);
    expect(messages).toHaveLength(3);
    expect(messages[1]?.parts).toContainEqual(expect.objectContaining({ state: "output-available" }));
    await chat.say('text="And on."');
    expect(chat.texts.at(-1)).toBe("And on.");
  });

  test("declines a change", async ({ person }) => {
    const chat = new Chat(person);
    await chat.say(`tool=catalog.createSystem input={"name":"${named("Declined")}"}`);
    const [id = ""] = chat.approvals;
    await chat.answer(id, false);
    expect(chat.error).toBeUndefined();
    expect(chat.calls).toEqual(["output-denied"]);
    expect(await proposal(person, id)).toMatchObject({ status: "declined" });
  });

  test("decides about several changes of one answer", async ({ person }) => {
    const chat = new Chat(person);
    const [one, two] = [named("One"), named("Two")];
    await chat.say(
      `r1.text="Both." r1.tool=catalog.createSystem r1.input={"name":"${one}"} r1.tool=catalog.createSystem r1.input={"name":"${two}"}`,
    );
    const [first = "", second = ""] = chat.approvals;
    await chat.addToolApprovalResponse({ id: first, approved: true });
    expect(await proposal(person, first)).toMatchObject({ status: "proposed" });
    await chat.answer(second, true);
    expect(chat.error).toBeUndefined();
    expect(chat.calls).toEqual(["output-available", "output-available"]);
    expect(await proposal(person, first)).toMatchObject({ status: "applied" });
  });

  test("is told that somebody else was quicker", async ({ person }) => {
    const chat = new Chat(person);
    await chat.say(`tool=catalog.createSystem input={"name":"${named("Quick")}"}`);
    const [id = ""] = chat.approvals;
    await person.post(`/api/ai/proposals/${id}/decline`);
    await chat.addToolApprovalResponse({ id, approved: true });
    await expect.poll(() => chat.status).toBe("error");
    expect(chat.error).toMatchObject({ statusCode: 409, responseBody: expect.stringContaining("declined already") });
  });
});
