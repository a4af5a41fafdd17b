import type { AgentRevision, RevisionState, ToolEffect } from "../api/agents";
import type { Tone } from "../ui/Badge";

/** Labels of the states of a revision. */
export const states: Record<RevisionState, { label: string; tone: Tone; hint: string }> = {
  draft: { label: "Draft", tone: "primary", hint: "Editable. Its tools are not available yet." },
  ready: { label: "Ready", tone: "warning", hint: "Frozen and ready to promote. Its tools are not available yet." },
  live: { label: "Live", tone: "success", hint: "Its tools are available to everybody with access to the agent." },
  archived: { label: "Archived", tone: "neutral", hint: "Frozen and not in use. It can go live again." },
};

/** Labels of the effects that an author can declare. */
export const effects: Record<ToolEffect, { label: string; hint: string; badge: string; tone: Tone }> = {
  read: {
    label: "Only reads and computes",
    hint: "Calls run without approval.",
    badge: "reads",
    tone: "neutral",
  },
  mutate: {
    label: "May change data",
    hint: "Each call becomes a proposal and runs after approval.",
    badge: "changes data",
    tone: "warning",
  },
};

/** "Revision 3" */
export const revisionName = ({ number }: Pick<AgentRevision, "number">) => `Revision ${number}`;

/** Warning about the records that are deleted with an agent. */
export const deletionWarning = "Its revisions, tools and skills are deleted too. This cannot be undone.";
