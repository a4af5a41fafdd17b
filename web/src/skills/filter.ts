import type { SkillSummary, SkillTarget } from "../api/skills";

export type SkillSource = "builtin" | "own";

export interface SkillFilter {
  target?: SkillTarget;
  source?: SkillSource;
  query?: string;
}

/** Keeps the skills that match; every word of the query has to occur somewhere. */
export function filterSkills(skills: SkillSummary[], filter: SkillFilter, myId: string | undefined): SkillSummary[] {
  const words = (filter.query ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  return skills.filter((skill) => {
    if (filter.target && !skill.targets.includes(filter.target)) return false;
    if (filter.source === "builtin" && skill.source !== "builtin") return false;
    if (filter.source === "own" && (myId === undefined || skill.ownerId !== myId)) return false;
    const text = [skill.name, skill.description, skill.ownerName ?? "", ...skill.tags].join(" ").toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

export const targetLabels: Record<SkillTarget, string> = { chat: "Chat", ai_analyze: "Analysis" };

/** Author of a skill, as a list shows it. */
export function authorOf(
  skill: Pick<SkillSummary, "source" | "ownerId" | "ownerName">,
  myId: string | undefined,
): string {
  if (skill.source === "builtin") return "Built in";
  if (myId !== undefined && skill.ownerId === myId) return "By you";
  return skill.ownerName ? `By ${skill.ownerName}` : "By a former user";
}
