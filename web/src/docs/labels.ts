import type { Labels } from "../area";

export const labels: Labels = {
  modules: { docs: "Documentation" },
  tools: {
    "ai.searchDocs": "search the documentation",
    "ai.getDoc": "read the documentation",
    "ai.listDocs": "browse the documentation",
  },
};
