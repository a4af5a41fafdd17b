import { linkOptions } from "@tanstack/react-router";
import type { Labels } from "../area";

export const labels: Labels = {
  records: {
    automation: {
      noun: "automation",
      link: ({ id }) => linkOptions({ to: "/automations/$automationId", params: { automationId: id } }),
    },
  },
  targets: {
    "automation.update": ["automation", "id"],
    "automation.delete": ["automation", "id"],
  },
  results: { "automation.propose": ["automation", ""] },
};
