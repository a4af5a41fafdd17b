import type { Proposal } from "../api/proposals";

export interface PlanBlock {
  kind: "plan";
  key: string;
  cards: Proposal[];
}

type ProposalBlock = { kind: "proposal"; key: string; card: Proposal };

/** Several proposals of one message are drawn as one plan, where the first of them stands. */
export function withPlans<Block extends { kind: string; key: string }>(
  blocks: (Block | ProposalBlock)[],
): (Block | PlanBlock | ProposalBlock)[] {
  const cards = blocks.flatMap((block) => (isProposal(block) ? [block.card] : []));
  const planId = cards[0]?.turnId;
  if (cards.length < 2 || !planId) return blocks;
  const plan: PlanBlock = { kind: "plan", key: planId, cards };
  const first = blocks.findIndex((block) => isProposal(block));
  return blocks.flatMap((block, index): (Block | PlanBlock | ProposalBlock)[] => {
    if (index === first) return [plan];
    return isProposal(block) ? [] : [block];
  });
}

function isProposal(block: object): block is ProposalBlock {
  return "kind" in block && block.kind === "proposal";
}

export interface ProposalGroup {
  /** Set when the proposals are those of a plan. */
  planId: string | null;
  proposals: Proposal[];
}

/** Proposals in their order, those of a plan together and in the plan's own order. */
export function groupByPlan(proposals: Proposal[]): ProposalGroup[] {
  const groups: ProposalGroup[] = [];
  const plans = new Map<string, ProposalGroup>();
  for (const proposal of proposals) {
    const known = proposal.planId ? plans.get(proposal.planId) : undefined;
    if (known) {
      known.proposals.push(proposal);
      known.proposals.sort((a, b) => (a.planPosition ?? 0) - (b.planPosition ?? 0));
      continue;
    }
    const group: ProposalGroup = { planId: proposal.planId ?? null, proposals: [proposal] };
    if (group.planId) plans.set(group.planId, group);
    groups.push(group);
  }
  return groups;
}

export function decidedTogether(members: Proposal[]): boolean {
  return members.some((member) => member.planned);
}

/** How far a plan has come, in a few words. */
export function planHeadline(members: Proposal[]): { kind: string; text: string } {
  const count = (status: Proposal["status"]) => members.filter((member) => member.status === status).length;
  const applied = count("applied");
  if (count("applying") > 0) {
    const position = members.findIndex((member) => member.status === "applying") + 1;
    return { kind: "applying", text: `Applying ${position} of ${members.length}…` };
  }
  const open = count("proposed");
  // Without a token another user has to decide.
  const whom = members.some(({ status, token }) => status === "proposed" && token) ? "you" : "others";
  if (open === members.length) return { kind: "proposed", text: `Waiting for ${whom}` };
  if (open > 0) return { kind: "proposed", text: `${open} of ${members.length} wait for ${whom}` };
  if (count("failed") > 0 || count("skipped") > 0)
    return { kind: "failed", text: `Stopped: ${applied} of ${members.length} applied` };
  if (applied === members.length) return { kind: "applied", text: "All applied" };
  if (count("declined") === members.length) return { kind: "declined", text: "Declined" };
  if (count("expired") === members.length) return { kind: "expired", text: "Expired" };
  return { kind: "mixed", text: `${applied} of ${members.length} applied` };
}
