import { DefaultChatTransport, type UIMessageChunk } from "ai";
import { EventSourceParserStream, type EventSourceMessage } from "eventsource-parser/stream";
import { parseRetryAfter, retryAfter } from "../api/backoff";
import { observeServerDate, serverNow } from "../api/clock";
import type { ChatMessage } from "../api/conversations";
import { personHeader, presence } from "../api/presence";
import { ConnectionLost, isUnanswered, online, parseProblem, Problem } from "../api/problem";
import { reach } from "../api/reach";
import type { Schema } from "../api/client";
import type { paths } from "../api/schema";

/** The answer of a proposal that the assistant reacts to in a turn of its own. */
export type DecisionNote = Schema<"ApiChatDecision">;

type ChatRequest = Schema<"ApiChatRequest">;

interface TransportEvents {
  /** The server has not taken the message yet: no answer has come, or the request is being repeated. */
  onLate: () => void;
  /** The server has taken the message. */
  onAccepted: () => void;
  /** An event has come, with its id in the turn's log; the first event of a stream has none. */
  onEvent: (id: string) => void;
}

type SendOptions = Parameters<DefaultChatTransport<ChatMessage>["sendMessages"]>[0];
type ReconnectOptions = Parameters<DefaultChatTransport<ChatMessage>["reconnectToStream"]>[0];

/** Pauses before the repeats of a message that may not have arrived, in ms. */
const retryDelays = [300, 1_000, 2_000, 4_000, 8_000];

/** When it is said that a message is still on its way, and when a request is given up that is not answered. */
const lateMilliseconds = 3_500;
const unansweredMilliseconds = 15_000;

/** The header with the milliseconds between two pings of a stream, and its default. */
const heartbeatHeader = "countersign-heartbeat";
const standardHeartbeat = 15_000;

/** Missed heartbeats after which the server is probed, and after which the connection counts as lost. */
const heartbeats = { probe: 1.5, lost: 3 };

const endpoint = "/api/ai/chat" satisfies keyof paths;

/**
 * Speaks the server's chat protocol: one message per request, never the
 * history. The message id makes a repeat safe, so lost requests are repeated
 * here and the caller sees either an accepted turn or a definite refusal.
 */
export class ConversationTransport extends DefaultChatTransport<ChatMessage> {
  readonly #events: TransportEvents;

  constructor(events: TransportEvents) {
    super({
      api: endpoint,
      credentials: "same-origin",
      fetch: watchedFetch,
      prepareSendMessagesRequest: ({ id, messages, body, trigger, messageId }) => ({
        body: { ...body, ...(messageId ? replacement(id, messages, trigger, messageId) : lastMessage(id, messages)) },
      }),
    });
    this.#events = events;
  }

  override async sendMessages(options: SendOptions): Promise<ReadableStream<UIMessageChunk>> {
    for (let attempt = 0; ; attempt++) {
      const watch = watchRequest(options.abortSignal, this.#events.onLate);
      try {
        const stream = await super.sendMessages({ ...options, abortSignal: watch.signal });
        this.#events.onAccepted();
        return stream;
      } catch (error) {
        if (!watch.unanswered() && !isUnanswered(error)) throw error;
        const delay = retryDelays[attempt];
        if (delay === undefined) throw undelivered();
        this.#events.onLate();
        await pause(Math.max(delay, retryAfter(error)), options.abortSignal);
      } finally {
        watch.end();
      }
    }
  }

  /**
   * Attaches to the running turn, or with a decision in the body asks for the
   * assistant's reaction to it. Both start from an empty assistant message,
   * which is why the decision takes this path and not sendMessages.
   */
  override async reconnectToStream(options: ReconnectOptions): Promise<ReadableStream<UIMessageChunk> | null> {
    const decision = (options.body as { decision?: DecisionNote } | undefined)?.decision;
    const watch = watchRequest(options.abortSignal);
    try {
      return decision
        ? await this.#react(options.chatId, decision, watch.signal)
        : await super.reconnectToStream({ ...options, abortSignal: watch.signal });
    } catch (error) {
      throw watch.unanswered() ? new ConnectionLost(error) : error;
    } finally {
      watch.end();
    }
  }

  /** As the library does, but that chunks are of the types of our server and are not looked at again (unread.ts). */
  protected override processResponseStream(
    body: ReadableStream<Uint8Array<ArrayBuffer>>,
  ): ReadableStream<UIMessageChunk> {
    return body
      .pipeThrough(new TextDecoderStream())
      .pipeThrough(new EventSourceParserStream())
      .pipeThrough(new TransformStream(chunks(this.#events.onEvent)));
  }

  async #react(conversationId: string, decision: DecisionNote, signal: AbortSignal | undefined) {
    const request = {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ conversationId, decision } satisfies ChatRequest),
      credentials: "same-origin" as const,
      signal,
    };
    try {
      const { status, body } = await watchedFetch(endpoint, request);
      return status === 204 || !body ? null : this.processResponseStream(body);
    } catch (error) {
      // The reaction was written already, or another turn runs. Either way the stored conversation tells, and
      // there is nothing to read here.
      if (error instanceof Problem && error.status === 409) return null;
      throw error;
    }
  }
}

/** The end is said twice: by a chunk, and for other clients by a word that is none. */
const chunks = (onEvent: TransportEvents["onEvent"]): Transformer<EventSourceMessage, UIMessageChunk> => ({
  transform: ({ id, data }, controller) => {
    onEvent(id ?? "");
    if (data !== "[DONE]") controller.enqueue(JSON.parse(data) as UIMessageChunk);
  },
});

/** Says when an answer is late, and gives the request up that none comes to. */
function watchRequest(given: AbortSignal | undefined, onLate?: () => void) {
  const request = new AbortController();
  const cancel = () => request.abort();
  if (given?.aborted) cancel();
  given?.addEventListener("abort", cancel);
  const late = onLate && setTimeout(onLate, lateMilliseconds);
  let unanswered = false;
  const giveUp = () => {
    // The request waits for the person, and not for the server.
    if (presence.asks()) silence = setTimeout(giveUp, unansweredMilliseconds);
    else {
      unanswered = true;
      cancel();
    }
  };
  let silence = setTimeout(giveUp, unansweredMilliseconds);
  return {
    signal: request.signal,
    unanswered: () => unanswered,
    end: () => {
      clearTimeout(late);
      clearTimeout(silence);
    },
  };
}

function lastMessage(conversationId: string, messages: ChatMessage[]): ChatRequest {
  const message = messages.at(-1);
  return {
    conversationId,
    messageId: message?.id,
    message: message?.parts.map((part) => (part.type === "text" ? part.text : "")).join("") ?? "",
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
}

/** A message or an answer in the place of another, in the form of a stock AI SDK chat. */
function replacement(
  id: string,
  messages: ChatMessage[],
  trigger: Schema<"ApiClientChat">["trigger"],
  messageId: string,
) {
  const { messageId: last, message: text, timeZone } = lastMessage(id, messages);
  return {
    id,
    trigger,
    messageId,
    timeZone,
    message: { id: last ?? "", role: "user" as const, parts: [{ type: "text", text: text ?? "" }] },
  } satisfies Omit<Schema<"ApiClientChat">, "messages">;
}

function undelivered(): Problem {
  return new Problem({
    status: 0,
    code: "undelivered",
    detail: "Message not delivered. Your text is back in the box: send it again.",
  });
}

/** Like fetch for the person of the page, but a refusal is a Problem, and a body that falls silent fails as a lost connection. */
const watchedFetch: typeof fetch = async (input, init) => {
  const headers = new Headers(init?.headers);
  const person = presence.person();
  if (person) headers.set(personHeader, person.id);
  const send = () => reach.watch(() => fetch(input, { ...init, headers }));
  const response = await online(() => presence.send(send, init?.signal));
  observeServerDate(response.headers.get("date"));
  if (!response.ok) throw await refusalOf(response);
  if (response.status !== 200 || !response.body) return response;
  const { status, statusText } = response;
  const heartbeat = Number(response.headers.get(heartbeatHeader)) || standardHeartbeat;
  return new Response(watched(response.body, heartbeat), { status, statusText, headers: response.headers });
};

async function refusalOf(response: Response): Promise<Problem> {
  const problem = parseProblem(response.status, await online(() => response.text()));
  problem.document.retryAfterSeconds ??= parseRetryAfter(response.headers.get("retry-after"), serverNow());
  return problem;
}

function watched(body: ReadableStream<Uint8Array>, heartbeat: number): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream({
    async pull(controller) {
      const probe = setTimeout(() => void reach.look(), heartbeats.probe * heartbeat);
      let timer: ReturnType<typeof setTimeout> | undefined;
      const silence = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new ConnectionLost("silence")), heartbeats.lost * heartbeat);
      });
      try {
        const { done, value } = await Promise.race([online(() => reader.read()), silence]);
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        void reader.cancel().catch(() => {});
        controller.error(error);
        if (error instanceof ConnectionLost) void reach.look();
      } finally {
        clearTimeout(probe);
        clearTimeout(timer);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(new DOMException("The request was cancelled.", "AbortError"));
    });
  });
}
