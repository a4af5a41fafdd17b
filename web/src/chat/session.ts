import { Chat } from "@ai-sdk/react";
import { Backoff, isTransient, retryAfter } from "../api/backoff";
import { newId, type Schema } from "../api/client";
import { serverNow } from "../api/clock";
import { stopTurn, type ChatMessage, type TurnNotice } from "../api/conversations";
import { isUnanswered, Problem } from "../api/problem";
import type { Decision } from "../api/proposals";
import { reach } from "../api/reach";
import { plainText } from "./outline";
import { ConversationTransport } from "./transport";
import type { Outgoing } from "./unsent";

export interface SessionState {
  /** A message that the server refused; the composer takes the text back. */
  rejected: { id: string; text: string; error: Error } | null;
  /** Server's message about a delay, such as a provider's rate limit. */
  notice: Delay | null;
  /** A turn is being followed, or a message is on its way: from the request on, through lost connections, until the turn has ended. */
  busy: boolean;
  /** The server has not accepted pending messages yet, so no answer is running. */
  connection: "live" | "reconnecting" | "sending";
  /** A message until the server has taken it. */
  outgoing: Outgoing | null;
  stopping: boolean;
}

/** A notice with the server's time, in ms, at which the delay is over. */
export interface Delay extends TurnNotice {
  until: number;
}

/** With what a message is answered. */
export type ModelChoice = Pick<Schema<"ApiChatRequest">, "connectionId" | "model" | "skillId">;

/** How a request of the SDK ended that had a stream. */
type Finish = Parameters<NonNullable<ConstructorParameters<typeof Chat<ChatMessage>>[0]["onFinish"]>>[0];

const stopGraceMilliseconds = 6_000;
/** How long to believe that a turn is not running that could not be attached to, whatever older reads say. */
const quietMilliseconds = 5_000;

/**
 * One open conversation: the AI SDK's chat plus what makes it survive reality.
 * A turn lives on the server; this object only watches it. When the connection
 * breaks it attaches again, and when a turn ends it asks its owner to read the
 * stored conversation, which is the truth. It alone decides when to attach, and makes one request at a time.
 */
export class ChatSession {
  readonly chat: Chat<ChatMessage>;
  readonly conversationId: string;

  #state: SessionState = {
    rejected: null,
    notice: null,
    busy: false,
    connection: "live",
    outgoing: null,
    stopping: false,
  };
  readonly #listeners = new Set<() => void>();
  readonly #onSettled: (session: ChatSession) => void;
  #draft = "";
  /** Delays before attaching again after a lost connection, and after a refusal. */
  readonly #lost = new Backoff({ first: 400, longest: 15_000 });
  readonly #refused = new Backoff({ first: 2 * quietMilliseconds, longest: 60_000 });
  /** The id of the last event; only a later one is a reason to attach quickly again. */
  #lastEvent = 0;
  /** How the stream of the current request ended; undefined while it runs, and when it had none. */
  #finish: Finish | undefined;
  #running = false;
  #quietUntil = 0;
  /** The turn that runs by the newest read. */
  #active: string | null = null;
  /** The watched or last turn: older reads may still report it as running. */
  #watched: string | undefined;
  /** The next attempt to attach, by backoff or because a read reports a running turn. */
  #attachTimer: ReturnType<typeof setTimeout> | undefined;
  #stopTimer: ReturnType<typeof setTimeout> | undefined;
  #disposed = false;
  readonly #old: Set<string>;
  readonly #sent = new Set<string>();
  /** Messages before an answer was repeated; they come back when that is refused. */
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
        onAccepted: () => this.#change({ connection: "live", outgoing: null }),
        onEvent: (id) => this.#hear(id),
      }),
      onData: (part) => {
        if (part.type === "data-notice" && part.data.kind === "retrying")
          this.#change({ notice: { ...part.data, until: serverNow() + (part.data.retryAfterSeconds ?? 0) * 1_000 } });
      },
      onFinish: (finish) => {
        this.#finish = finish;
      },
    });
  }

  get busy(): boolean {
    return this.#state.busy;
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
    await this.#run(() =>
      this.chat.sendMessage(
        { id, role: "user", parts: [{ type: "text", text }], metadata: { createdAt } },
        { body: choice },
      ),
    );
  }

  /** Sends a message again with another text; everything after it is replaced. */
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
    await this.#run(() =>
      this.chat.sendMessage(
        { messageId, role: "user", parts: [{ type: "text", text }], metadata: { createdAt } },
        { body: choice },
      ),
    );
  }

  /** Has the newest answer written again. */
  async regenerate(answerId: string, choice: ModelChoice): Promise<void> {
    if (this.busy) return;
    this.#before = { messages: this.chat.messages, text: null };
    this.#change({ rejected: null, notice: null });
    await this.#run(() => this.chat.regenerate({ messageId: answerId, body: choice }));
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

  /** Takes note of the turn that a read says is running, and attaches to it unless one is being watched. */
  notice(turn: string | null): void {
    this.#active = turn;
    if (!this.busy) this.#consider();
    else if (turn) this.#watched = turn;
  }

  /** Ends the turn on the server. The stream stays open to show how it ends. */
  async stop(): Promise<void> {
    if (this.#state.stopping) return;
    this.#change({ stopping: true });
    this.#stopTimer = setTimeout(() => this.#abandon(), stopGraceMilliseconds);
    const reached = await stopTurn(this.conversationId).catch(() => false);
    if (!reached) this.#abandon();
  }

  /** Takes the stored messages; while a turn is watched, only those before the shown ones. */
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

  /** Keeps the draft in the message box for the next page of this conversation. */
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
    this.#cancelAttach();
    clearTimeout(this.#stopTimer);
    void this.chat.stop();
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  state = (): SessionState => this.#state;

  /** Attaches to the turn of the newest read, later if the last attempt found nothing to attach to. */
  #consider(): void {
    if (this.busy || this.#disposed) return;
    this.#cancelAttach();
    if (this.#active === null) return;
    const quiet = this.#active === this.#watched ? this.#quietUntil - Date.now() : 0;
    if (quiet > 0) {
      this.#attachTimer = setTimeout(() => this.#consider(), quiet);
      return;
    }
    this.#watched = this.#active;
    void this.#attach();
  }

  #attach(body?: Pick<Schema<"ApiChatRequest">, "decision">): Promise<void> {
    // A decision is refused for good by more answers than a turn that runs.
    return this.#run(() => this.chat.resumeStream({ body }), body ? isUnanswered : isTransient);
  }

  /** Makes a request of the SDK, and decides by how it ended. */
  async #run(request: () => Promise<void>, retries = isTransient): Promise<void> {
    this.#cancelAttach();
    this.#finish = undefined;
    this.#running = true;
    this.#change({ busy: true });
    await request();
    this.#running = false;
    if (this.#disposed) return;
    const { status, error } = this.chat;
    const finish = this.#ended();
    if (!finish && status === "error") {
      if (retries(error)) this.#reattach(error);
      else this.#rest();
    } else if (!finish || finish.isAbort) this.#settle();
    else if (finish.isError && error instanceof Problem) this.#reject(error);
    else if (finish.isDisconnect || isCutShort(finish)) this.#reattach(error);
    else {
      this.#forgetConflict();
      this.#settle();
    }
  }

  #ended = (): Finish | undefined => this.#finish;

  /** An event has come: the connection is there. */
  #hear(id: string): void {
    if (this.#state.connection === "reconnecting") this.#change({ connection: "live" });
    if (Number(id) <= this.#lastEvent) return;
    this.#lastEvent = Number(id);
    this.#lost.reset();
    this.#refused.reset();
  }

  /** Leaves a refusal on the screen; a read may say for long that the turn runs. */
  #rest(): void {
    this.#quietUntil = Date.now() + this.#refused.next();
    this.#change({ busy: false, connection: "live", stopping: false });
    this.#consider();
  }

  /** Attaches again after a delay, and while the server is known to be away not before it is back. */
  #reattach(error: Error | undefined): void {
    this.#change({ connection: "reconnecting" });
    const timer = setTimeout(
      () => {
        const due = () => this.#attachTimer === timer && !this.#disposed && void this.#attach();
        if (reach.state() === "away") void reach.back().then(due);
        else due();
      },
      this.#lost.next(retryAfter(error)),
    );
    this.#attachTimer = timer;
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

  /** Takes back that another answer is in the way, once that has ended; the text stays in the message box. */
  #forgetConflict(): void {
    const error = this.#state.rejected?.error;
    if (error instanceof Problem && error.status === 409) this.forgetRejection();
  }

  #settle(): void {
    clearTimeout(this.#stopTimer);
    this.#before = null;
    this.#quietUntil = Date.now() + quietMilliseconds;
    this.#change({ busy: false, connection: "live", notice: null, outgoing: null, stopping: false });
    this.#onSettled(this);
    this.#consider();
  }

  /** Ends the request that runs, which settles, or settles between two attempts to attach. */
  #abandon(): void {
    if (this.#disposed) return;
    if (this.#running) {
      void this.chat.stop();
      return;
    }
    this.#cancelAttach();
    this.#settle();
  }

  #cancelAttach(): void {
    clearTimeout(this.#attachTimer);
    this.#attachTimer = undefined;
  }

  #change(changes: Partial<SessionState>): void {
    this.#state = { ...this.#state, ...changes };
    for (const listener of this.#listeners) listener();
  }
}

/** Whether a stream ended before its turn did. */
function isCutShort({ message, isError, finishReason }: Finish): boolean {
  const status = message.metadata?.status;
  return !isError && finishReason === undefined && (status === undefined || status === "running");
}
