import { expect, it } from "vitest";
import { withEarlier, type ChatMessage, type Conversation } from "./conversations";

const chat = (ids: number[], nextCursor?: string): Conversation =>
  ({
    messages: ids.map((id) => ({ id: String(id), role: "user", parts: [] }) as ChatMessage),
    nextCursor,
  }) as Conversation;
const ids = ({ messages }: Conversation) => messages.map(({ id }) => Number(id));

it("keeps the earlier messages that were read, and where those before them are", () => {
  const merged = withEarlier(chat([4, 5, 6], "before 4"), chat([1, 2, 3, 4, 5], "before 1"));
  expect(ids(merged)).toEqual([1, 2, 3, 4, 5, 6]);
  expect(merged.nextCursor).toBe("before 1");
  expect(withEarlier(chat([4, 5, 6], "before 4"), chat([1, 2, 3, 4, 5])).nextCursor).toBeUndefined();
});

it("takes what is read alone when nothing connects it with what was known, or when it is all there is", () => {
  expect(withEarlier(chat([8, 9], "before 8"), chat([1, 2, 3], "before 1"))).toEqual(chat([8, 9], "before 8"));
  expect(withEarlier(chat([2, 9]), chat([1, 2, 3], "before 1"))).toEqual(chat([2, 9]));
  expect(withEarlier(chat([1]), undefined)).toEqual(chat([1]));
});
