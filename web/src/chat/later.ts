import { loaded } from "../api/reach";
import { preloadMarkdown } from "../markdown/Markdown";

// Parts that a chat needs once a message was sent. They load beside the first page, not before it.

/** Loads the client of an answer's stream. */
export const loadSession = () => loaded(() => import("./session"));

export const loadSent = () => loaded(() => import("./Sent"));

/** Fetches it while the first message is typed; one that is sent before waits. */
export function preloadAnswers(): void {
  const all = [loadSession(), loadSent(), loaded(() => import("./ConversationPanel"))];
  // A part that failed to load is requested again when needed.
  void Promise.allSettled(all).then(preloadMarkdown);
}
