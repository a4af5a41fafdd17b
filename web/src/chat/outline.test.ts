import { describe, expect, it } from "vitest";
import type { ChatMessage } from "../api/conversations";
import type { Proposal } from "../api/proposals";
import { outline, plainText, stepCount } from "./outline";

function assistant(parts: ChatMessage["parts"], metadata: ChatMessage["metadata"] = {}): ChatMessage {
  return { id: "m1", role: "assistant", parts, metadata };
}

const card: Proposal = {
  proposalId: "p1",
  toolCallId: "c1",
  createdAt: "2026-11-21T10:00:00Z",
  proposer: { kind: "user", id: "me", name: "Ada" },
  toolName: "catalog.createSystem",
  effect: "mutate",
  summary: "Create the system Payments API",
  payload: { name: "Payments API" },
  status: "proposed",
  expiresAt: "2026-11-21T10:10:00Z",
};

const proposedCall: ChatMessage["parts"][number] = {
  type: "dynamic-tool",
  toolName: "catalog.createSystem",
  toolCallId: "c1",
  state: "output-available",
  input: {},
  output: { status: "awaiting_operator", proposalId: "p1", summary: "Create" },
};

const kinds = (message: ChatMessage, live = false) => outline(message, live).map((block) => block.kind);

describe("outline", () => {
  it("shows a proposed change by its card alone", () => {
    const message = assistant([
      proposedCall,
      { type: "data-proposal", id: "p1", data: card },
      { type: "text", text: "Please review." },
    ]);
    expect(kinds(message)).toEqual(["proposal", "text"]);
  });

  it("shows a change of auto mode by its card alone", () => {
    const call = { ...proposedCall, output: { status: "applied", result: {} } } as ChatMessage["parts"][number];
    expect(kinds(assistant([call]))).toEqual(["tool"]);
    expect(kinds(assistant([call, { type: "data-applied", id: "p1", data: card }]))).toEqual(["applied"]);
  });

  it("keeps the tool line while its card has not arrived", () => {
    expect(kinds(assistant([proposedCall]))).toEqual(["tool"]);
  });

  it("shows an error once although its sentence is also a text part", () => {
    const error = { code: "model_unavailable", message: "The provider is overloaded." };
    const message = assistant(
      [
        { type: "text", text: "The provider is overloaded.\n" },
        { type: "data-error", data: error },
      ],
      { error },
    );
    expect(outline(message, false)).toEqual([{ kind: "error", key: "1", error }]);
  });

  it("shows what the model did not read", () => {
    const notice = { kind: "messages_left_out" as const, message: "The model did not read the oldest message." };
    const message = assistant([
      { type: "text", text: "Fine." },
      { type: "data-notice", id: "messages_left_out", data: notice },
    ]);
    expect(outline(message, false)[1]).toEqual({ kind: "notice", key: "messages_left_out", notice });
  });

  it("shows an error that only the metadata carries", () => {
    const error = { code: "lost", message: "The turn was lost." };
    expect(kinds(assistant([{ type: "text", text: "Half an" }], { error }))).toEqual(["text", "error"]);
  });

  it("tells a running call from one that its turn left unfinished", () => {
    const message = assistant([
      { type: "dynamic-tool", toolName: "catalog.listSystems", toolCallId: "c2", state: "input-available", input: {} },
    ]);
    expect(outline(message, true)[0]).toMatchObject({ call: { state: "running" } });
    expect(outline(message, false)[0]).toMatchObject({ call: { state: "interrupted" } });
  });

  it("reads static tool parts like dynamic ones", () => {
    const part = {
      type: "tool-ai.searchDocs",
      toolCallId: "c3",
      state: "output-error",
      input: { query: "x" },
      errorText: "No.",
    };
    const message = assistant([part as ChatMessage["parts"][number]]);
    expect(outline(message, false)[0]).toMatchObject({
      call: { name: "ai.searchDocs", state: "error", errorText: "No." },
    });
  });

  it("leaves out what is empty", () => {
    expect(
      kinds(assistant([{ type: "step-start" }, { type: "text", text: "  " }, { type: "reasoning", text: "" }])),
    ).toEqual([]);
  });
});

describe("message text and steps", () => {
  const message = assistant([
    { type: "step-start" },
    { type: "text", text: "One." },
    { type: "step-start" },
    { type: "text", text: "" },
    { type: "text", text: "Two." },
  ]);

  it("joins the texts as paragraphs", () => expect(plainText(message)).toBe("One.\n\nTwo."));
  it("counts model calls", () => expect(stepCount(message)).toBe(2));
});

describe("a change that waits for a decision", () => {
  const data = { proposalId: "p1" } as Extract<ChatMessage["parts"][number], { type: "data-proposal" }>["data"];
  const made = { type: "dynamic-tool", toolName: "catalog.createSystem", toolCallId: "c1", input: {} } as const;
  const shown: ChatMessage["parts"][number] = { type: "data-proposal", id: "p1", data };

  it("is shown by its card alone, also in answers from before there were approvals", () => {
    const waits = { ...made, state: "approval-requested", approval: { id: "p1" } } as const;
    const declined = { ...made, state: "output-denied", approval: { id: "p1", approved: false } } as const;
    const before = { ...made, state: "output-available", output: { proposalId: "p1" } } as const;
    for (const part of [waits, declined, before]) expect(kinds(assistant([part, shown]))).toEqual(["proposal"]);
    expect(stepCount(assistant([{ type: "step-start" }, waits, shown]))).toBe(2);
  });
});

describe("a question", () => {
  const asked: ChatMessage["parts"][number] = {
    type: "dynamic-tool",
    toolName: "ai.askOperator",
    toolCallId: "c2",
    state: "output-available",
    input: {},
    output: { status: "awaiting_operator" },
  };

  it("is shown by its card alone", () => {
    const data = {
      question: "Which?",
      options: [{ label: "One" }],
      allowFreeText: true,
      status: "awaiting_operator",
      note: "",
    };
    expect(kinds(assistant([asked, { type: "data-question", id: "q1", data }]))).toEqual(["question"]);
    expect(kinds(assistant([asked]))).toEqual(["tool"]);
  });
});

describe("the step of a turn", () => {
  it("is the next one as soon as all tools of a step have answered", () => {
    const running = { ...proposedCall, state: "input-available", output: undefined } as ChatMessage["parts"][number];
    expect(stepCount(assistant([{ type: "step-start" }]))).toBe(1);
    expect(stepCount(assistant([{ type: "step-start" }, running]))).toBe(1);
    expect(stepCount(assistant([{ type: "step-start" }, proposedCall]))).toBe(2);
    expect(stepCount(assistant([{ type: "step-start" }, proposedCall, { type: "step-start" }]))).toBe(2);
  });
});
