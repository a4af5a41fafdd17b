import type { Labels } from "../area";

export const labels: Labels = {
  objects: { "ai.skill": "Skill" },
};
