import { createContext, useContext } from "react";
import type { ChatMessage } from "../api/conversations";
import type { ChatSession } from "./session";

const lingerMilliseconds = 1_000;

/**
 * The sessions that are on the screen. A session outlives a remount by a
 * moment, so that moving from the draft to its conversation keeps the stream.
 */
export class SessionRegistry {
  readonly #onSettled: (session: ChatSession) => void;
  readonly #sessions = new Map<string, ChatSession>();
  readonly #holders = new Map<string, number>();

  constructor(onSettled: (session: ChatSession) => void) {
    this.#onSettled = onSettled;
  }

  /** Opens the session of a conversation. The caller provides the class that it has loaded. */
  open(conversationId: string, messages: ChatMessage[], Session: typeof ChatSession): ChatSession {
    const open = this.#sessions.get(conversationId);
    if (open) return open;
    const session = new Session(conversationId, messages, this.#onSettled);
    this.#sessions.set(conversationId, session);
    return session;
  }

  /** Keeps a session open until the returned function is called. */
  hold(session: ChatSession): () => void {
    const id = session.conversationId;
    this.#sessions.set(id, session);
    this.#holders.set(id, (this.#holders.get(id) ?? 0) + 1);
    return () => {
      this.#holders.set(id, (this.#holders.get(id) ?? 1) - 1);
      setTimeout(() => this.#closeUnheld(session), lingerMilliseconds);
    };
  }

  #closeUnheld(session: ChatSession): void {
    const id = session.conversationId;
    if ((this.#holders.get(id) ?? 0) > 0 || this.#sessions.get(id) !== session) return;
    this.#sessions.delete(id);
    this.#holders.delete(id);
    session.dispose();
  }
}

export const SessionsContext = createContext<SessionRegistry | null>(null);

export function useSessions(): SessionRegistry {
  const registry = useContext(SessionsContext);
  if (!registry) throw new Error("useSessions needs the chat layout around it");
  return registry;
}
