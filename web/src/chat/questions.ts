import type { ChatMessage } from "../api/conversations";
import { plainText } from "./outline";

/** State of the questions in one message. */
export interface QuestionState {
  /** Operator's next message; it answers the questions of the message. */
  reply: string | null;
  /** The operator may still answer. */
  open: boolean;
}

/**
 * The state of each message that asks something. A question is answered by the
 * next message of the operator, whichever way it was sent, and a newer question
 * takes the place of an older one. It follows from the messages alone, so that
 * it is the same after a reload and in every tab.
 */
export function questionStates(messages: ChatMessage[]): Map<string, QuestionState> {
  const states = new Map<string, QuestionState>();
  let reply: string | null = null;
  let newer = false;
  for (const message of messages.toReversed()) {
    if (message.role === "user") {
      reply = plainText(message);
    } else if (message.parts.some((part) => part.type === "data-question")) {
      states.set(message.id, { reply: newer ? null : reply, open: reply === null && !newer });
      newer = true;
    }
    if (message.role === "user") newer = false;
  }
  return states;
}

/** The text that picking an option sends: what the operator reads, whatever an older question holds beside it. */
export function answerOf(option: { label: string }): string {
  return option.label;
}
