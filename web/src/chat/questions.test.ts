import { describe, expect, it } from "vitest";
import type { ChatMessage } from "../api/conversations";
import { answerOf, questionStates } from "./questions";

const asks = (id: string): ChatMessage => ({
  id,
  role: "assistant",
  parts: [
    {
      type: "data-question",
      id,
      data: {
        question: "Which?",
        options: [{ label: "One" }],
        allowFreeText: true,
        status: "awaiting_operator",
        note: "",
      },
    },
  ],
});
const says = (id: string, text: string): ChatMessage => ({ id, role: "user", parts: [{ type: "text", text }] });
const tells = (id: string): ChatMessage => ({ id, role: "assistant", parts: [{ type: "text", text: "Done." }] });

describe("questionStates", () => {
  it("keeps the newest question open until the operator writes", () => {
    expect(questionStates([says("u", "Hi"), asks("q")]).get("q")).toEqual({ reply: null, open: true });
    expect(questionStates([asks("q"), tells("a")]).get("q")).toEqual({ reply: null, open: true });
    expect(questionStates([asks("q"), says("u", "One"), tells("a")]).get("q")).toEqual({ reply: "One", open: false });
  });

  it("answers each question with the message that follows it", () => {
    const states = questionStates([asks("q1"), says("u1", "One"), asks("q2"), says("u2", "Two"), asks("q3")]);
    expect([...states.values()].map(({ reply }) => reply)).toEqual([null, "Two", "One"]);
    expect(states.get("q3")?.open).toBe(true);
  });

  it("closes a question that a newer one has overtaken", () => {
    for (const messages of [
      [asks("q1"), asks("q2")],
      [asks("q1"), asks("q2"), says("u", "One")],
    ]) {
      expect(questionStates(messages).get("q1")).toEqual({ reply: null, open: false });
    }
  });

  it("knows nothing of messages that ask nothing", () => {
    expect(questionStates([says("u", "Hi"), tells("a")]).size).toBe(0);
  });
});

describe("answerOf", () => {
  it("is what the operator reads", () => {
    const older = { label: "One", value: "Delete everything" };
    expect(answerOf(older)).toBe("One");
    expect(answerOf({ label: "One" })).toBe("One");
  });
});
