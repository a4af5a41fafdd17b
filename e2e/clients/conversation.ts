import { parseJsonEventStream, uiMessageChunkSchema, type UIMessage, type UIMessageChunk } from "ai";
import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import type { Person } from "../stack/person";
import { reduce, StockChat, transportOf } from "./chat";
import { endMarker, formatEvents, parseEvents, Wire, type ServerEvent } from "./events";

export const scriptedModel = "countersign-demo-script";

export interface ConversationSettings {
  model?: string;
  permissionMode?: "approve" | "auto";
}

/** A conversation of a person, as the API stores it. */
export class Conversation {
  readonly id: string;
  readonly person: Person;

  private constructor(id: string, person: Person) {
    this.id = id;
    this.person = person;
  }

  static async start(person: Person, settings: ConversationSettings = {}): Promise<Conversation> {
    const { id } = await person.post<{ id: string }>("/api/ai/conversations", settings);
    return new Conversation(id, person);
  }

  /** The same conversation at another process. */
  at(base: string): Conversation {
    return new Conversation(this.id, this.person.at(base));
  }

  /** A client of its own, with the messages that are stored now. */
  async open(): Promise<StockChat> {
    return new StockChat(this.person, this.id, await this.messages());
  }

  async messages(): Promise<UIMessage[]> {
    return (await this.person.get<{ messages: UIMessage[] }>(`/api/ai/conversations/${this.id}`)).messages;
  }

  /** The newest stored message. */
  async last(): Promise<UIMessage> {
    const last = (await this.messages()).at(-1);
    if (!last) throw new Error("the conversation is empty");
    return last;
  }

  stop(): Promise<{ stopping: boolean }> {
    return this.person.post(`/api/ai/chat/${this.id}/stop`);
  }

  /** Resumes with the stock transport; null when no turn runs. */
  async resume(): Promise<{ message: Promise<UIMessage>; wire: Wire } | null> {
    const wire = new Wire();
    const stream = await transportOf(this.person, wire).reconnectToStream({ chatId: this.id });
    return stream && { message: reduce(stream), wire };
  }

  /** The events behind the one with this id, up to the end of the turn. */
  async eventsAfter(id: string): Promise<ServerEvent[]> {
    const response = await this.person.request(`/api/ai/chat/${this.id}/stream`, { headers: { "last-event-id": id } });
    expect(response.status).toBe(200);
    return parseEvents(await response.text());
  }
}

/** A person's message. */
export interface Question {
  text: string;
  model?: string;
}

/** A message that tells the scripted model what to do; the id keeps its faults apart from those of other messages. */
export function script(directives: string): Question {
  return { text: `script: ${directives} id=${randomUUID()}`, model: scriptedModel };
}

export function userMessage({ text }: Question): UIMessage {
  return { id: randomUUID(), role: "user", parts: [{ type: "text", text }] };
}

/** What clients have made of one turn. */
export interface Turn {
  /** The message that is stored. */
  stored: UIMessage;
  /** What the client that asked has received. */
  chunks: UIMessageChunk[];
  /** What a client has received that came in the middle of the turn. */
  resumed: UIMessageChunk[];
}

interface Watch {
  /** When further clients attach: once such a chunk has come, by default once anything has been said or called. */
  midway?: (chunk: UIMessageChunk) => boolean;
  /** What happens in the middle of the turn, after the further clients have attached. */
  meanwhile?: () => Promise<unknown>;
}

const anything = (chunk: UIMessageChunk): boolean =>
  chunk.type === "text-delta" || chunk.type === "reasoning-delta" || chunk.type === "tool-input-available";

/**
 * Asks with a stock client and lets others attach in the middle of the turn, and requires that all of them end up with
 * the message that is stored: the one that asked, one that resumes from the beginning, a second window that resumes,
 * one that continues behind the last event it has, and one that asks again when all is over.
 */
export async function converse(conversation: Conversation, question: Question, watch: Watch = {}): Promise<Turn> {
  const before = await conversation.messages();
  const chat = await conversation.open();
  const message = userMessage(question);
  const body = question.model ? { model: question.model } : {};
  const live = chat.sendMessage(message, { body });
  await chat.wire.until(watch.midway ?? anything);
  const seen = chat.wire.events;

  const window = await conversation.open();
  const [resumed, continued] = await Promise.all([
    conversation.resume(),
    conversation.eventsAfter(seen.at(-1)?.id ?? ""),
    window.resumeStream(),
    watch.meanwhile?.(),
    live,
  ]);
  expect(resumed, "the turn was over before another client could attach").not.toBeNull();
  if (!resumed) throw new Error("unreachable");

  const after = await conversation.messages();
  expect(after.slice(0, before.length)).toEqual(before);
  expect(after.slice(before.length).map(({ role }) => role)).toEqual(["user", "assistant"]);
  const [asked, stored] = after.slice(before.length) as [UIMessage, UIMessage];
  expect(asked).toMatchObject(message);
  expectSame("the client that asked", chat.lastMessage, stored, chat.wire.events);
  expectSame("a client that resumed", await resumed.message, stored, resumed.wire.events);
  expectSame("a second window", window.lastMessage, stored, window.wire.events);
  expect(window.messages.map(({ id }) => id)).toEqual(after.map(({ id }) => id));
  const joined = [...seen, ...continued];
  expectSame("a client that continued", await reduceEvents(joined), stored, joined);

  const repeat = new Wire();
  const again = await transportOf(conversation.person, repeat).sendMessages({
    trigger: "submit-message", chatId: conversation.id, messageId: undefined, messages: [message], abortSignal: undefined, body,
  });
  expectSame("a client that asked again", await reduce(again), stored, repeat.events);
  expect(await conversation.resume(), "no turn runs any more").toBeNull();

  for (const wire of [chat.wire, resumed.wire, window.wire, repeat]) expectProtocol(wire);
  return { stored, chunks: chat.wire.chunks, resumed: resumed.wire.chunks };
}

export function expectSame(who: string, message: UIMessage | undefined, stored: UIMessage, events: ServerEvent[]): void {
  // Members that are undefined do not exist in JSON.
  const reduced = message && (JSON.parse(JSON.stringify(message)) as UIMessage);
  expect(reduced, `${who} has another message than the stored one. Its events:\n${events.map(({ data }) => data).join("\n")}`).toStrictEqual(stored);
}

/** Requires the headers and the framing of the protocol. */
export function expectProtocol(wire: Wire): void {
  const headers = wire.responses.at(-1)?.headers;
  expect(headers?.get("content-type")).toBe("text/event-stream");
  expect(headers?.get("x-vercel-ai-ui-message-stream")).toBe("v1");
  expect(headers?.get("cache-control")).toContain("no-cache");
  expect(headers?.get("x-accel-buffering")).toBe("no");
  expect(wire.chunks[0]?.type).toBe("start");
  expect(wire.events.at(-1)?.data).toBe(endMarker);
}

/** Reduces events as the stock transport would that had received them all over one connection. */
function reduceEvents(events: ServerEvent[]): Promise<UIMessage> {
  const body = new Response(formatEvents(events)).body;
  if (!body) throw new Error("there are no events");
  const chunks = parseJsonEventStream({ stream: body, schema: uiMessageChunkSchema });
  return reduce(
    chunks.pipeThrough(
      new TransformStream({
        transform(chunk, controller) {
          if (!chunk.success) throw chunk.error;
          controller.enqueue(chunk.value);
        },
      }),
    ),
  );
}
