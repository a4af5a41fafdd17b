import { Chat } from "@ai-sdk/react";
import { newId, type Schema } from "../api/client";
import { serverNow } from "../api/clock";
import { stopTurn, type ChatMessage, type RetryNotice } from "../api/conversations";
import { isUnanswered, Problem } from "../api/problem";
import type { Decision } from "../api/proposals";
import { plainText } from "./outline";
import { ConversationTransport } from "./transport";
import type { Outgoing } from "./unsent";

export interface SessionState {
  /** A message that the server refused; the composer takes the text back. */
  rejected: { id: string; text: string; error: Error } | null;
  /** What the server says about a delay, such as a provider's rate limit. */
  notice: Delay | null;
  /** Messages that are on their way have not been taken by the server yet, so nobody answers. */
  connection: "live" | "reconnecting" | "sending";
  /** A message until the server has taken it. */
  outgoing: Outgoing | null;
  stopping: boolean;
}

/** A notice with the server's time, in ms, at which the delay is over. */
export interface Delay extends RetryNotice {
  until: number;
}

/** With what a message is answered. */
export type ModelChoice = Pick<Schema<"ApiChatRequest">, "connectionId" | "model" | "skillId">;

const stopGraceMilliseconds = 6_000;
const longestWait = 10_000;
/** How long to believe that no turn is running, whatever older reads say. */
const quietMilliseconds = 3_000;

/**
 * One open conversation: the AI SDK's chat plus what makes it survive reality.
 * A turn lives on the server; this object only watches it. When the connection
 * breaks it attaches again, and when a turn ends it asks its owner to read the
 * stored conversation, which is the truth.
 */
export class ChatSession {
  readonly chat: Chat<ChatMessage>;
  readonly conversationId: string;

  #state: SessionState = { rejected: null, notice: null, connection: "live", outgoing: null, stopping: false };
  readonly #listeners = new Set<() => void>();
  readonly #onSettled: (session: ChatSession) => void;
  #draft = "";
  #failures = 0;
  #quietUntil = 0;
  /** The turn that is watched, or was last, as far as it is known: older reads say that it is running still. */
  #watched: string | undefined;
  #reconnectTimer: ReturnType<typeof setTimeout> | undefined;
  #stopTimer: ReturnType<typeof setTimeout> | undefined;
  #disposed = false;
  readonly #old: Set<string>;
  readonly #sent = new Set<string>();
  /** What was on the screen before an answer was asked for again; it comes back when that is refused. */
  #before: { messages: ChatMessage[]; text: string | null } | null = null;

  constructor(conversationId: string, messages: ChatMessage[], onSettled: (session: ChatSession) => void) {
    this.conversationId = conversationId;
    this.#old = new Set(messages.map(({ id }) => id));
    this.#onSettled = onSettled;
    this.chat = new Chat<ChatMessage>({
      id: conversationId,
      messages,
      generateId: newId,
      transport: new ConversationTransport({
        onLate: () => this.#change({ connection: "sending" }),
        onConnected: () => this.#change({ connection: "live", outgoing: null }),
        onNothingActive: () => this.#settle(),
      }),
      onData: (part) => {
        if (part.type === "data-notice")
          this.#change({ notice: { ...part.data, until: serverNow() + (part.data.retryAfterSeconds ?? 0) * 1_000 } });
      },
      onFinish: ({ message, isAbort, isDisconnect, isError, finishReason }) => {
        if (isAbort) return;
        if (isError && this.chat.error instanceof Problem) return this.#reject(this.chat.error);
        const cutShort = !isError && finishReason === undefined && !hasEnded(message);
        if (isDisconnect || cutShort) this.#reconnect();
        else this.#settle();
      },
    });
  }

  get busy(): boolean {
    const { status } = this.chat;
    return status === "submitted" || status === "streaming" || this.#state.connection !== "live";
  }

  /** Whether a message has come since the conversation was opened, also when its answer was there before the page. */
  isNew(messageId: string): boolean {
    return !this.#old.has(messageId);
  }

  /** Whether a message was sent from here: then it is known here whether it has arrived. */
  hasSent(messageId: string): boolean {
    return this.#sent.has(messageId);
  }

  /** Sends a message; does nothing while an answer is being written. */
  async send(text: string, choice: ModelChoice): Promise<void> {
    if (this.busy) return;
    const { rejected } = this.#state;
    // The same text again after an uncertain failure is the same message.
    const id = rejected?.text === text ? rejected.id : newId();
    this.#sent.add(id);
    this.#change({ rejected: null, notice: null, outgoing: { id, text } });
    const createdAt = new Date(serverNow()).toISOString();
    await this.chat.sendMessage(
      { id, role: "user", parts: [{ type: "text", text }], metadata: { createdAt } },
      { body: choice },
    );
  }

  /** Sends a message anew with another text; what came after it is replaced. */
  async edit(messageId: string, text: string, choice: ModelChoice): Promise<void> {
    if (this.busy) return;
    this.#before = { messages: this.chat.messages, text };
    const edited = this.chat.messages.find(({ id }) => id === messageId);
    this.#change({
      rejected: null,
      notice: null,
      outgoing: { id: messageId, text, before: edited ? plainText(edited) : "" },
    });
    const createdAt = new Date(serverNow()).toISOString();
    await this.chat.sendMessage(
      { messageId, role: "user", parts: [{ type: "text", text }], metadata: { createdAt } },
      { body: choice },
    );
  }

  /** Has the newest answer written again. */
  async regenerate(answerId: string, choice: ModelChoice): Promise<void> {
    if (this.busy) return;
    this.#before = { messages: this.chat.messages, text: null };
    this.#change({ rejected: null, notice: null });
    await this.chat.regenerate({ messageId: answerId, body: choice });
  }

  /** Shows the assistant's reaction to a decided proposal. */
  async react(proposalId: string, kind: Decision): Promise<void> {
    if (this.busy) return;
    await this.#attach({ decision: { proposalId, kind } });
  }

  /** Shows the assistant's reaction to a plan that was decided as a whole. */
  async reactToPlan(planId: string, kind: Decision): Promise<void> {
    if (this.busy) return;
    await this.#attach({ decision: { planId, kind } });
  }

  /** Attaches to the turn that runs on the server, if there is one: to the one of which somebody has read, or to any. */
  async resume(turn?: string): Promise<void> {
    const quiet = Date.now() < this.#quietUntil && (turn === undefined || turn === this.#watched);
    if (this.busy || quiet) return;
    this.#watched = turn ?? this.#watched;
    await this.#attach();
  }

  /** Takes note of the turn that a read says is running: while one is watched, that is it. */
  notice(turn: string | null): void {
    if (this.busy && turn) this.#watched = turn;
  }

  /** Ends the turn on the server. The stream stays open to show how it ends. */
  async stop(): Promise<void> {
    if (this.#state.stopping) return;
    this.#change({ stopping: true });
    this.#stopTimer = setTimeout(() => this.#abandon(), stopGraceMilliseconds);
    const reached = await stopTurn(this.conversationId).catch(() => false);
    if (!reached) this.#abandon();
  }

  /** Takes the stored messages, or only those before what is there while a turn is being watched. */
  adopt(messages: ChatMessage[]): void {
    const first = this.chat.messages[0]?.id;
    const earlier = messages.slice(
      0,
      Math.max(
        0,
        messages.findIndex(({ id }) => id === first),
      ),
    );
    for (const { id } of earlier) this.#old.add(id);
    if (!this.busy) this.chat.messages = messages;
    else if (earlier.length > 0) {
      this.chat.messages = [...earlier, ...this.chat.messages];
      if (this.#before) this.#before = { ...this.#before, messages: [...earlier, ...this.#before.messages] };
    }
  }

  /** Keeps what is in the message box for the next page that shows this conversation. */
  leaveDraft(text: string): void {
    this.#draft = text;
  }

  takeDraft(): string {
    return this.#draft;
  }

  forgetRejection(): void {
    this.#change({ rejected: null });
    this.chat.clearError();
  }

  dispose(): void {
    this.#disposed = true;
    clearTimeout(this.#reconnectTimer);
    clearTimeout(this.#stopTimer);
    void this.chat.stop();
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  state = (): SessionState => this.#state;

  async #attach(body?: Pick<Schema<"ApiChatRequest">, "decision">): Promise<void> {
    await this.chat.resumeStream({ body });
    // A failed attempt to attach ends without onFinish.
    const { status, error } = this.chat;
    if (status === "error" && isUnanswered(error)) this.#reconnect();
  }

  #reconnect(): void {
    if (this.#disposed) return;
    clearTimeout(this.#reconnectTimer);
    const wait = Math.min(250 * 2 ** this.#failures, longestWait);
    this.#failures++;
    this.#change({ connection: "reconnecting" });
    this.#reconnectTimer = setTimeout(() => void this.#attach(), wait);
  }

  #reject(error: Problem): void {
    const last = this.chat.messages.at(-1);
    if (this.#before) {
      const { messages, text } = this.#before;
      this.chat.messages = messages;
      if (text !== null) this.#change({ rejected: { id: newId(), text, error } });
    } else if (last?.role === "user") {
      const text = last.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
      this.chat.messages = this.chat.messages.slice(0, -1);
      this.#change({ rejected: { id: last.id, text, error } });
    }
    this.#settle();
    // Refused because another turn runs, perhaps begun in another window: show it.
    if (error.status === 409) this.#quietUntil = 0;
  }

  #settle(): void {
    clearTimeout(this.#stopTimer);
    this.#failures = 0;
    this.#before = null;
    this.#quietUntil = Date.now() + quietMilliseconds;
    this.#change({ connection: "live", notice: null, outgoing: null, stopping: false });
    if (!this.#disposed) this.#onSettled(this);
  }

  #abandon(): void {
    void this.chat.stop().then(() => this.#settle());
  }

  #change(changes: Partial<SessionState>): void {
    this.#state = { ...this.#state, ...changes };
    for (const listener of this.#listeners) listener();
  }
}

function hasEnded(message: ChatMessage): boolean {
  const status = message.metadata?.status;
  return status !== undefined && status !== "running";
}
