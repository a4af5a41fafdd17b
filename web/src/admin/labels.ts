import { linkOptions } from "@tanstack/react-router";
import { proposing, type Labels } from "../area";

export const labels: Labels = {
  modules: {
    auth: "People and access",
    event: "Events",
    mcp: "Tools of MCP servers",
    mcpProgram: "Trusted programs",
    mcpServer: "MCP servers",
    oauth: "Connected programs",
    temporal: "Temporal",
    vault: "Secrets",
  },
  tools: {
    "ai.setToolPolicy": proposing("a policy change", "change a policy"),
    "auth.setGrants": proposing("an access change", "change who has access"),
    "auth.deleteGrants": proposing("to remove access", "remove all access"),
  },
  fields: {
    alwaysConfirm: "Always ask",
    mustChangePassword: "Must choose a new password",
    private: "Private",
    roleIds: "Roles",
    twoPerson: "Second person",
    userId: "Person",
    who: "Who",
  },
  records: {
    policy: { noun: "policy", link: () => linkOptions({ to: "/admin/policies" }) },
    role: { noun: "role", link: () => linkOptions({ to: "/admin/roles" }) },
    user: { noun: "person", link: ({ name }) => linkOptions({ to: "/admin/users", search: { search: name } }) },
  },
  targets: {
    "ai.setToolPolicy": ["policy", "tool"],
    "auth.updateUser": ["user", "id"],
    "auth.deleteUser": ["user", "id"],
    "auth.updateRole": ["role", "id"],
    "auth.deleteRole": ["role", "id"],
  },
  results: { "auth.createUser": ["user", ""] },
};
