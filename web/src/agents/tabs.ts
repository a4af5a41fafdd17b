/** The parts of an agent's page, in their order. */
export const tabs = [
  { id: "tools", label: "Tools" },
  { id: "instructions", label: "agent.md" },
  { id: "skills", label: "Skills" },
  { id: "spec", label: "Secrets and limits" },
  { id: "revisions", label: "Revisions" },
  { id: "uses", label: "Uses" },
  { id: "sharing", label: "Sharing" },
] as const;

export type TabId = (typeof tabs)[number]["id"];

/** Those that show what a revision holds; the others are about the agent. */
export const ofRevision: readonly TabId[] = ["tools", "instructions", "skills", "spec"];
