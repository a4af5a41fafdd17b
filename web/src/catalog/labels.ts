import { linkOptions } from "@tanstack/react-router";
import type { Labels } from "../area";

export const labels: Labels = {
  modules: { catalog: "Catalog" },
  decisions: {
    "catalog.setSystemOwner": ({ teamId }) => (teamId === null ? "Remove owner" : "Set system owner"),
  },
  nouns: { "catalog.setSystemOwner": "system" },
  records: {
    system: {
      noun: "system",
      objectType: "catalog.system",
      link: ({ id }) => linkOptions({ to: "/catalog/systems/$systemId", params: { systemId: id } }),
    },
    group: {
      noun: "group",
      objectType: "catalog.group",
      link: ({ id }) => linkOptions({ to: "/catalog/groups/$groupId", params: { groupId: id } }),
    },
    environment: {
      noun: "environment",
      link: ({ id }) => linkOptions({ to: "/catalog/environments/$environmentId", params: { environmentId: id } }),
    },
    team: {
      noun: "team",
      link: ({ id }) => linkOptions({ to: "/catalog/teams/$teamId", params: { teamId: id } }),
    },
  },
  targets: {
    "catalog.updateSystem": ["system", "id"],
    "catalog.deleteSystem": ["system", "id"],
    "catalog.setSystemOwner": ["system", "id"],
    "catalog.setSystemEnvironments": ["system", "systemId"],
    "catalog.addSystemContact": ["system", "systemId"],
    "catalog.removeSystemContact": ["system", "systemId"],
    "catalog.addSystemLink": ["system", "systemId"],
    "catalog.removeSystemLink": ["system", "systemId"],
    "catalog.addSystemToGroup": ["group", "groupId"],
    "catalog.removeSystemFromGroup": ["group", "groupId"],
    "catalog.updateGroup": ["group", "id"],
    "catalog.deleteGroup": ["group", "id"],
    "catalog.updateEnvironment": ["environment", "id"],
    "catalog.deleteEnvironment": ["environment", "id"],
    "auth.addTeamMember": ["team", "id"],
  },
  results: {
    "catalog.createSystem": ["system", "system"],
    "catalog.createGroup": ["group", "group"],
    "catalog.createEnvironment": ["environment", "environment"],
  },
};
