import type { LinkProps } from "@tanstack/react-router";
import { agentRules } from "../api/agents";
import { docsRule } from "../api/docs";
import { healthRules } from "../api/health";
import { holds, type Principal } from "../api/session";
import { scriptRules } from "../scripts/places";
import type { IconName } from "../ui/Icon";
import { administers } from "./administration";

export interface Destination {
  to: LinkProps["to"];
  search?: LinkProps["search"];
  label: string;
  icon: IconName;
  /** The access rules without any of which the page is empty. */
  rules?: readonly string[];
}

const destinations: Destination[] = [
  { to: "/chat", search: { last: true }, label: "Chat", icon: "chat" },
  { to: "/proposals", label: "Proposals", icon: "inbox" },
  { to: "/health", label: "Health", icon: "health", rules: Object.values(healthRules) },
  { to: "/catalog", label: "Catalog", icon: "catalog" },
  { to: "/memory", label: "Memory", icon: "memory", rules: ["ai.memory.read"] },
  { to: "/skills", label: "Skills", icon: "skill", rules: ["ai.skill.read"] },
  { to: "/agents", label: "Agents", icon: "agent", rules: Object.values(agentRules) },
  { to: "/scripts", label: "Scripts", icon: "script", rules: Object.values(scriptRules) },
  { to: "/docs", label: "Docs", icon: "book", rules: [docsRule] },
];
const administration: Destination = { to: "/admin", label: "Admin", icon: "admin" };

/** The parts of the application that a person may see, in the order of the navigation. */
export function destinationsOf(me: Principal | undefined): Destination[] {
  const permitted = destinations.filter(({ rules }) => rules === undefined || rules.some((rule) => holds(me, rule)));
  return administers(me) ? [...permitted, administration] : permitted;
}
