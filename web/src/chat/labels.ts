import type { Labels } from "../area";

export const labels: Labels = {
  modules: { ai: "Assistant" },
  tools: {
    "ai.askOperator": { running: "Preparing a question", done: "Asked a question", plain: "ask a question" },
    "ai.probeUrl": "probe a URL",
  },
};
