import { linkOptions } from "@tanstack/react-router";
import { proposing, type Labels } from "../area";

export const labels: Labels = {
  tools: {
    "ai.searchMemory": "search the memory",
    "ai.saveMemory": proposing("to remember", "remember this"),
    "ai.deleteMemory": proposing("to forget", "forget this"),
  },
  decisions: { "ai.saveMemory": ({ replaces }) => (replaces ? "Change memory" : "Remember this") },
  fields: {
    alwaysInject: "In every prompt",
    recallHint: "When to recall it",
    replaces: "Replaces",
    scope: "For whom",
  },
  records: { memory: { noun: "memory", link: () => linkOptions({ to: "/memory", search: {} }) } },
  targets: { "ai.deleteMemory": ["memory", "id"] },
  results: { "ai.saveMemory": ["memory", ""] },
};
