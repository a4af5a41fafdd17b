import type { AgentRevision, RevisionState, ToolEffect } from "../api/agents";
import type { Tone } from "../ui/Badge";

/** Labels of the states of a revision. */
export const states: Record<RevisionState, { label: string; tone: Tone; hint: string }> = {
  draft: { label: "Draft", tone: "primary", hint: "It can be changed. Nobody is offered its tools." },
  ready: { label: "Ready", tone: "warning", hint: "It is frozen and can go live. Nobody is offered its tools yet." },
  live: { label: "Live", tone: "success", hint: "Its tools are offered to everybody who may use the agent." },
  archived: { label: "Archived", tone: "neutral", hint: "It is frozen and was put aside. It can go live again." },
};

/** Labels of the effects that an author can declare. */
export const effects: Record<ToolEffect, { label: string; hint: string; badge: string; tone: Tone }> = {
  read: {
    label: "It only reads and computes",
    hint: "A call runs at once, without anybody being asked.",
    badge: "reads",
    tone: "neutral",
  },
  mutate: {
    label: "It may lead to a change",
    hint: "A call becomes a proposal, and runs when somebody has applied it.",
    badge: "changes data",
    tone: "warning",
  },
};

/** "Revision 3" */
export const revisionName = ({ number }: Pick<AgentRevision, "number">) => `Revision ${number}`;

/** Warns about what is deleted with an agent. */
export const deletionWarning =
  "Its revisions, tools and skills go with it, and nobody can use its tools any more. This cannot be undone.";
