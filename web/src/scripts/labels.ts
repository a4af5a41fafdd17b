import type { Labels } from "../area";

export const labels: Labels = {
  modules: { automation: "Automations", script: "Scripts" },
};
