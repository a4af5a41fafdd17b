import { getToolName, isToolUIPart } from "ai";
import type { Schema } from "../api/client";
import type { ChatMessage, QuestionData, TurnError, TurnNotice } from "../api/conversations";
import type { Proposal } from "../api/proposals";

export type ToolState = "running" | "done" | "error" | "interrupted" | "waiting" | "declined";

export interface ToolCall {
  id: string;
  name: string;
  state: ToolState;
  input: unknown;
  output?: unknown;
  errorText?: string;
  timing?: CallTiming;
}

/** Server times of a call: requested, started, and its duration. */
export type CallTiming = Schema<"StreamTiming">;

/** Part of a drawn message, top to bottom. */
export type Block =
  | { kind: "text"; key: string; text: string; streaming: boolean }
  | { kind: "reasoning"; key: string; text: string; streaming: boolean }
  | { kind: "tool"; key: string; call: ToolCall }
  | { kind: "proposal"; key: string; card: Proposal }
  | { kind: "applied"; key: string; card: Proposal }
  | { kind: "question"; key: string; question: QuestionData }
  | { kind: "notice"; key: string; notice: TurnNotice }
  | { kind: "error"; key: string; error: TurnError };

/**
 * Turns the parts of a message into blocks. A tool call that became a card is
 * shown by the card alone, and an error sentence that is repeated as text for
 * plain clients is shown once. `live` is true while the turn may still write.
 */
export function outline(message: ChatMessage, live: boolean): Block[] {
  const carded = new Set<string>();
  const appliedTools = new Set<string>();
  const errors = new Set<string>();
  let asks = false;
  for (const part of message.parts) {
    if (part.type === "data-proposal" || part.type === "data-applied") carded.add(part.data.proposalId);
    if (part.type === "data-applied") appliedTools.add(part.data.toolName);
    if (part.type === "data-question") asks = true;
    if (part.type === "data-error") errors.add(part.data.message.trim());
  }
  const { error } = message.metadata ?? {};
  if (error) errors.add(error.message.trim());

  const blocks: Block[] = [];
  let errorShown = false;
  for (const [index, part] of message.parts.entries()) {
    const key = String(index);
    if (part.type === "text") {
      const text = part.text.trim();
      if (text !== "" && !errors.has(text)) {
        blocks.push({ kind: "text", key, text: part.text, streaming: live && part.state === "streaming" });
      }
    } else if (part.type === "reasoning") {
      if (part.text.trim() !== "") {
        blocks.push({ kind: "reasoning", key, text: part.text, streaming: live && part.state === "streaming" });
      }
    } else if (part.type === "data-proposal") {
      blocks.push({ kind: "proposal", key: part.data.proposalId, card: part.data });
    } else if (part.type === "data-applied") {
      blocks.push({ kind: "applied", key: part.data.proposalId, card: part.data });
    } else if (part.type === "data-question") {
      blocks.push({ kind: "question", key: part.id ?? key, question: part.data });
    } else if (part.type === "data-notice") {
      blocks.push({ kind: "notice", key: part.data.kind, notice: part.data });
    } else if (part.type === "data-error") {
      blocks.push({ kind: "error", key, error: part.data });
      errorShown = true;
    } else if (isToolUIPart(part)) {
      const { proposalId, status } = proposalOutput(part);
      if (asks && part.state === "output-available" && isQuestionTool(getToolName(part))) continue;
      const hasCard = status === "applied" ? appliedTools.has(getToolName(part)) : carded.has(proposalId);
      if (!hasCard) blocks.push({ kind: "tool", key: part.toolCallId, call: toolCall(part, live) });
    }
  }
  if (error && !errorShown) blocks.push({ kind: "error", key: "metadata", error });
  return blocks;
}

function isQuestionTool(name: string): boolean {
  return name.replace("_", ".") === "ai.askOperator";
}

/**
 * Which model call the turn is at. A step whose tools have all answered is
 * over: the next call is under way, also while its provider lets it wait.
 */
export function stepCount(message: ChatMessage): number {
  const begun = message.parts.filter((part) => part.type === "step-start").length;
  const step = message.parts.slice(message.parts.findLastIndex((part) => part.type === "step-start") + 1);
  const calls = step.filter((part) => isToolUIPart(part));
  const answered =
    calls.length > 0 && calls.every(({ state }) => state.startsWith("output-") || state.startsWith("approval-"));
  return answered ? begun + 1 : begun;
}

/** The text of a message as a person would copy it. */
export function plainText(message: ChatMessage): string {
  return message.parts
    .map((part) => (part.type === "text" ? part.text : ""))
    .filter((text) => text !== "")
    .join("\n\n");
}

type ToolPart = Extract<ChatMessage["parts"][number], { toolCallId: string }>;

function toolCall(part: ToolPart, live: boolean): ToolCall {
  const timing = part.toolMetadata as CallTiming | undefined;
  const call = { id: part.toolCallId, name: getToolName(part), input: part.input, ...(timing && { timing }) };
  switch (part.state) {
    case "output-available":
      return { ...call, state: part.preliminary ? "running" : "done", output: part.output };
    case "output-error":
      return { ...call, state: "error", errorText: part.errorText };
    case "output-denied":
      return { ...call, state: "declined" };
    case "approval-requested":
      return { ...call, state: "waiting" };
    default:
      return { ...call, state: live ? "running" : "interrupted" };
  }
}

/** Output of a changing tool: pending approval, or applied by auto mode. Older answers have no approval. */
function proposalOutput({ output, approval }: ToolPart): { proposalId: string; status: string } {
  if (approval) return { proposalId: approval.id, status: "" };
  const fields = typeof output === "object" && output !== null ? (output as Record<string, unknown>) : {};
  return { proposalId: String(fields.proposalId ?? ""), status: String(fields.status ?? "") };
}
