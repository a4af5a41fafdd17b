import type { Proposal } from "../api/proposals";
import { isRecord } from "../api/record";
import { describeAction } from "../chat/verbs";
import { merged } from "../labels";

const decisions = merged("decisions");

/** Label of the button that applies a change: "Delete system", "Pause health check". */
export function decisionWords({ toolName, payload }: Pick<Proposal, "toolName" | "payload">): string {
  const decision = decisions[toolName];
  if (decision) return decision(isRecord(payload) ? payload : {});
  return describeAction(toolName).replace(/^(\S+) an? /, "$1 ");
}

/** Label of the button that applies several changes: "Create 3 groups", or their number when they differ. */
export function planWords(open: Pick<Proposal, "toolName" | "payload">[], all: number): string {
  const [words = "", ...others] = new Set(open.map((proposal) => decisionWords(proposal)));
  const [verb, noun, ...more] = words.split(" ");
  if (others.length === 0 && open.length > 1 && verb && noun && counted.has(verb) && more.length === 0)
    return `${verb} ${open.length} ${plural(noun)}`;
  if (others.length === 0 && open.length === 1 && all > 1) return words;
  return open.length === all ? `Apply all ${all} in order` : `Apply the other ${open.length} in order`;
}

/** Verbs whose objects can be counted by adding a number: "Set 3 grants" would say something else. */
const counted = new Set(["Create", "Delete", "Update"]);

function plural(noun: string): string {
  return /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`;
}
