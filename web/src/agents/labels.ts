import { linkOptions } from "@tanstack/react-router";
import { proposing, type Labels } from "../area";

export const labels: Labels = {
  modules: { agent: "Agents and their tools" },
  tools: {
    "agent.list": "list agents",
    "agent.get": "read an agent",
    "agent.testTool": "test a custom tool",
    "agent.proposeTool": proposing("a custom tool", "write a custom tool"),
  },
  fields: { args_schema: "Arguments" },
  records: {
    agent: {
      noun: "agent",
      objectType: "agent.agent",
      link: ({ id }) => linkOptions({ to: "/agents/$agentId", params: { agentId: id } }),
    },
  },
  targets: { "agent.proposeTool": ["agent", "agent"] },
};
