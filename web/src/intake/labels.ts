import type { Labels } from "../area";

export const labels: Labels = {
  modules: { intake: "Sources of alerts" },
};
