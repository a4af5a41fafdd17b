import {
  AbstractChat,
  DefaultChatTransport,
  readUIMessageStream,
  type ChatState,
  type ChatStatus,
  type UIMessage,
  type UIMessageChunk,
} from "ai";
import type { Person } from "../stack/person";
import { Wire } from "./events";

/** The plainest state that an AI SDK chat can have. */
class State implements ChatState<UIMessage> {
  status: ChatStatus = "ready";
  error: Error | undefined;
  messages: UIMessage[];

  constructor(messages: UIMessage[]) {
    this.messages = messages;
  }

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

/** The transport that every AI SDK application has, told only which fields this server calls what. */
export function transportOf(person: Person, wire: Wire): DefaultChatTransport<UIMessage> {
  return new DefaultChatTransport<UIMessage>({
    api: `${person.base}/api/ai/chat`,
    headers: { cookie: person.cookie },
    fetch: wire.fetch,
    prepareSendMessagesRequest: ({ id, messages, body }) => {
      const message = messages.at(-1);
      return { body: { conversationId: id, ...(message && { messageId: message.id, message }), ...body } };
    },
  });
}

/** An AI SDK chat as every framework's binding makes it, over the stock transport. */
export class StockChat extends AbstractChat<UIMessage> {
  readonly wire: Wire;

  constructor(person: Person, conversationId: string, messages: UIMessage[] = []) {
    const wire = new Wire();
    super({ id: conversationId, transport: transportOf(person, wire), state: new State(messages) });
    this.wire = wire;
  }
}

/** A stream that a stock client reads: what comes over the wire, and what it ends up with. */
export interface Reading {
  wire: Wire;
  message: Promise<UIMessage | undefined>;
}

/** Posts to the chat endpoint with the stock transport: a message, or what the body says. */
export async function post(
  person: Person,
  conversationId: string,
  messages: UIMessage[],
  body: object,
): Promise<Reading> {
  const wire = new Wire();
  const stream = await transportOf(person, wire).sendMessages({
    trigger: "submit-message",
    chatId: conversationId,
    messageId: undefined,
    messages,
    body,
    abortSignal: undefined,
  });
  return { wire, message: reduce(stream) };
}

/** Resumes with the stock transport; null when no turn runs. */
export async function resume(person: Person, conversationId: string): Promise<Reading | null> {
  const wire = new Wire();
  const stream = await transportOf(person, wire).reconnectToStream({ chatId: conversationId });
  return stream && { wire, message: reduce(stream) };
}

/** Reduces a stream with the SDK alone; a chunk that the SDK refuses is an error. */
export async function reduce(stream: ReadableStream<UIMessageChunk>): Promise<UIMessage> {
  let last: UIMessage | undefined;
  for await (const message of readUIMessageStream({ stream, terminateOnError: true })) last = message;
  if (!last) throw new Error("the stream held no message");
  return last;
}
