import { healthRules } from "../api/health";
import { holds, type Principal } from "../api/session";
import { administrationRules, pagesOf } from "../shell/administration";
import { destinationsOf } from "../shell/destinations";
import type { IconName } from "../ui/Icon";
import type { Entry } from "./rank";
import type { Place } from "./sources";

/** An entry that does something here. */
export interface Command extends Entry {
  icon: IconName;
  run: () => void;
}

/** Synonyms for the parts of the application. */
const otherWords: Record<string, string> = {
  Chat: "assistant ask conversation",
  Proposals: "inbox approve approval cards changes countersign decide",
  Health: "status board monitoring uptime",
  Catalog: "systems services",
  Memory: "remember notes",
  Skills: "prompts templates",
  Agents: "custom tools typescript",
  Scripts: "playground typescript shell",
  Docs: "documentation help manual",
  Admin: "administration settings",
};

/** The pages that a person may open. */
export function pages(me: Principal | undefined): Place[] {
  const parts = destinationsOf(me).map(({ to, label, icon }) => ({
    key: `page ${to}`,
    label,
    words: otherWords[label],
    icon,
    href: to === "/chat" ? "/chat?last=true" : String(to),
  }));
  const sees = (label: string) => parts.some((part) => part.label === label);
  const catalog = ["Systems", "Groups", "Environments", "Teams"].map((label) => ({
    key: `page catalog ${label}`,
    label,
    detail: "Catalog",
    words: "catalog",
    icon: "catalog" as const,
    href: `/catalog/${label.toLowerCase()}`,
  }));
  const shared = {
    key: "page /shared",
    label: "Shared with me",
    detail: "Chat",
    words: "shared chats conversations colleagues",
    icon: "chat" as const,
    href: "/shared",
  };
  const makesChecks = holds(me, healthRules.manage);
  const health = [
    { label: "Health checks", href: "/health/checks", words: "monitoring probes" },
    { label: "System health", href: "/health/systems", words: "board status" },
    ...(makesChecks
      ? [
          { label: "New health check", href: "/health/editor", words: "create add make" },
          { label: "Import health checks", href: "/health/import", words: "upload file" },
        ]
      : []),
  ].map(({ label, href, words }) => ({
    key: `page ${href}`,
    label,
    detail: "Health",
    words,
    icon: "health" as const,
    href,
  }));
  const changes = { to: "/admin/audit/changes", label: "Changes and sign-ins" };
  const audited = holds(me, administrationRules.audit) ? [changes] : [];
  const administration = [...pagesOf(me), ...audited].map(({ to, label }) => ({
    key: `page ${to}`,
    label,
    detail: "Administration",
    words: "admin settings",
    icon: "admin" as const,
    href: to,
  }));
  const account = {
    key: "page /account",
    label: "My account",
    words: "password sessions tokens programs profile",
    icon: "admin" as const,
    href: "/account",
  };
  return [
    ...parts,
    shared,
    ...(sees("Catalog") ? catalog : []),
    ...(sees("Health") ? health : []),
    ...administration,
    account,
  ];
}
