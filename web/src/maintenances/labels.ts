import { linkOptions } from "@tanstack/react-router";
import type { Labels } from "../area";

export const labels: Labels = {
  modules: { maintenance: "Maintenances" },
  records: {
    maintenance: {
      noun: "maintenance",
      link: ({ id }) => linkOptions({ to: "/maintenances/$maintenanceId", params: { maintenanceId: id } }),
    },
  },
  targets: {
    "maintenance.update": ["maintenance", "id"],
    "maintenance.addUpdate": ["maintenance", "maintenanceId"],
    "maintenance.close": ["maintenance", "id"],
    "maintenance.addLink": ["maintenance", "maintenanceId"],
    "maintenance.removeLink": ["maintenance", "maintenanceId"],
    "maintenance.delete": ["maintenance", "id"],
  },
  results: { "maintenance.create": ["maintenance", "maintenance"] },
};
