import { parseJsonEventStream, uiMessageChunkSchema, type UIMessage, type UIMessageChunk } from "ai";
import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import type { Person } from "../stack/person";
import { post, reduce, resume, StockChat, type Reading } from "./chat";
import { endMarker, formatEvents, parseEvents, type ServerEvent, type Wire } from "./events";
import { scriptedModel, type Gate, type Hold } from "./gate";

export interface ConversationSettings {
  model?: string;
  permissionMode?: "approve" | "auto";
}

/** A conversation of a person, as the API stores it. */
export class Conversation {
  readonly id: string;
  readonly person: Person;
  /** Holds the answers that the model gives from now on: see Gate. */
  readonly hold: (passing?: number) => Hold;

  private constructor(id: string, person: Person, hold: Conversation["hold"]) {
    this.id = id;
    this.person = person;
    this.hold = hold;
  }

  static async start(person: Person, gate: Gate, settings: ConversationSettings = {}): Promise<Conversation> {
    const { connectionId, gateId } = await gate.connect(person);
    const { id } = await person.post<{ id: string }>("/api/ai/conversations", { connectionId, ...settings });
    return new Conversation(id, person, (passing) => gate.hold(gateId, passing));
  }

  /** The same conversation at another process. */
  at(base: string): Conversation {
    return new Conversation(this.id, this.person.at(base), this.hold);
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

  /** Continues behind the event with this id, without the SDK. */
  async continue(id: string): Promise<Response> {
    const response = await this.person.request(`/api/ai/chat/${this.id}/stream`, { headers: { "last-event-id": id } });
    if (response.status !== 200) throw new Error(`continue after ${id}: ${response.status}`);
    return response;
  }
}

/** A person's message. */
export interface Question {
  text: string;
  model?: string;
}

/**
 * A message that tells the scripted model what to do, at a pace at which streams have several pieces. The id keeps its
 * faults apart from those of other messages.
 */
export function script(directives: string): Question {
  return { text: `script: delay_token=3ms ${directives} id=${randomUUID()}`, model: scriptedModel };
}

export function userMessage({ text }: Question): UIMessage {
  return { id: randomUUID(), role: "user", parts: [{ type: "text", text }] };
}

/** Views that the clients had of one turn. */
export interface Turn {
  /** The message that is stored. */
  stored: UIMessage;
  /** Chunks that the client that began the turn has received. */
  chunks: UIMessageChunk[];
  /** Chunks of a client that attached in the middle of the turn. */
  resumed: UIMessageChunk[];
}

interface Watch {
  /** How many answers of the model pass before one is held in the middle. */
  passing?: number;
  /** When further clients attach: once such a chunk has come, by default once anything has been said or called. */
  midway?: (chunk: UIMessageChunk) => boolean;
  /** Runs once further clients have attached, while the model is held. */
  meanwhile?: (wire: Wire) => Promise<unknown>;
}

const anything = (chunk: UIMessageChunk): boolean =>
  chunk.type === "text-delta" || chunk.type === "reasoning-delta" || chunk.type === "tool-input-available";

/** Asks with a stock chat while other clients come and go: see observe. */
export async function converse(conversation: Conversation, question: Question, watch: Watch = {}): Promise<Turn> {
  const before = await conversation.messages();
  const chat = await conversation.open();
  const message = userMessage(question);
  const body = question.model ? { model: question.model } : {};
  const hold = conversation.hold(watch.passing);
  const sent = chat.sendMessage(message, { body });
  const live = { wire: chat.wire, message: sent.then(() => chat.lastMessage) };
  const repeat = () => post(conversation.person, conversation.id, [message], body);
  const turn = await observe(conversation, live, repeat, { ...watch, hold, known: before.length + 1 });
  expect((await conversation.messages()).at(-2)).toMatchObject(message);
  return turn;
}

export type Decision = "apply" | "decline";

/** Decides about a proposal and lets the model react, while other clients come and go: see observe. */
export async function decide(
  conversation: Conversation,
  { proposalId, kind }: { proposalId: string; kind: Decision },
  settle: () => Promise<void>,
): Promise<Turn> {
  const before = await conversation.messages();
  const react = () => post(conversation.person, conversation.id, [], { decision: { proposalId, kind } });
  const hold = conversation.hold();
  await settle();
  return observe(conversation, await react(), react, { hold, known: before.length });
}

/**
 * Watches a turn through stock clients and requires that each ends up with the message that is stored: the one that
 * began the turn, one that resumes in the middle from the beginning, the chat of a second window that resumes, one that
 * continues behind the last event that it has, and one that asks once more when all is over.
 */
async function observe(
  conversation: Conversation,
  live: Reading,
  repeat: () => Promise<Reading>,
  {
    midway = anything,
    meanwhile,
    hold,
    known,
  }: Watch & { hold: Hold; /** Messages before the answer. */ known: number },
): Promise<Turn> {
  await live.wire.until(midway);
  const seen = live.wire.events;
  const window = await conversation.open();
  const [resumed, continued] = await Promise.all([
    resume(conversation.person, conversation.id),
    conversation.continue(seen.at(-1)?.id ?? ""),
  ]);
  if (!resumed) throw new Error("the turn was over before another client could attach");
  const attached = window.resumeStream();
  await Promise.race([attached, window.wire.until(({ type }) => type === "start")]);
  await meanwhile?.(live.wire);
  hold.release();
  const [liveMessage, resumedMessage, rest] = await Promise.all([
    live.message,
    resumed.message,
    continued.text(),
    attached,
  ]);

  const messages = await conversation.messages();
  const stored = messages[known];
  expect(messages.length, "every turn leaves one assistant message").toBe(known + 1);
  if (!stored) throw new Error("unreachable");
  expect(stored.role).toBe("assistant");
  expectSame("the client that began the turn", liveMessage, stored, live.wire.events);
  expectSame("a client that resumed", resumedMessage, stored, resumed.wire.events);
  expectSame("a second window", window.lastMessage, stored, window.wire.events);
  expect(window.messages.map(({ id }) => id)).toEqual(messages.map(({ id }) => id));
  const joined = [...seen, ...parseEvents(rest)];
  expectSame("a client that continued", await reduceEvents(joined), stored, joined);
  const again = await repeat();
  expectSame("a client that asked again", await again.message, stored, again.wire.events);
  expect(await resume(conversation.person, conversation.id), "no turn runs any more").toBeNull();

  for (const { wire } of [live, resumed, window, again]) expectProtocol(wire);
  return { stored, chunks: live.wire.chunks, resumed: resumed.wire.chunks };
}

export function expectSame(
  who: string,
  message: UIMessage | undefined,
  stored: UIMessage,
  events: ServerEvent[],
): void {
  // Members that are undefined do not exist in JSON.
  const reduced = message && (JSON.parse(JSON.stringify(message)) as UIMessage);
  expect(
    reduced,
    `${who} has another message than the stored one. Its events:\n${events.map(({ data }) => data).join("\n")}`,
  ).toStrictEqual(stored);
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
