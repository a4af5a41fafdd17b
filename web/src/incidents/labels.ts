import { linkOptions } from "@tanstack/react-router";
import type { Labels } from "../area";

export const labels: Labels = {
  modules: { incident: "Incidents" },
  records: {
    incident: {
      noun: "incident",
      link: ({ id }) => linkOptions({ to: "/incidents/$incidentId", params: { incidentId: id } }),
    },
  },
  targets: {
    "incident.update": ["incident", "id"],
    "incident.addUpdate": ["incident", "incidentId"],
    "incident.acknowledge": ["incident", "id"],
    "incident.resolve": ["incident", "id"],
    "incident.merge": ["incident", "id"],
    "incident.addLink": ["incident", "incidentId"],
    "incident.removeLink": ["incident", "incidentId"],
    "incident.deleteUpdate": ["incident", "incidentId"],
    "incident.delete": ["incident", "id"],
  },
  results: { "incident.create": ["incident", "incident"] },
};
