import { loaded } from "../api/reach";
import { preloadMarkdown } from "../markdown/Markdown";

// What a chat needs once somebody has sent a message. It is fetched beside the first page, not before it.

/** What talks to the server about an answer. */
export const loadSession = () => loaded(() => import("./session"));

export const loadSent = () => loaded(() => import("./Sent"));

/** Fetches it while the first message is typed; one that is sent before waits. */
export function preloadAnswers(): void {
  const all = [loadSession(), loadSent(), loaded(() => import("./ConversationPanel"))];
  // Whoever needs one that could not be had asks for it again.
  void Promise.allSettled(all).then(preloadMarkdown);
}
