import { queryOptions } from "@tanstack/react-query";
import { request } from "./client";

export type SkillTarget = "chat" | "ai_analyze";
export type FieldType = "string" | "number" | "boolean" | "enum";

export interface OutputField {
  key: string;
  type: FieldType;
  description: string;
  options?: string[];
}

export interface SkillSummary {
  /** A slug for a built-in skill, a UUID for any other. */
  id: string;
  name: string;
  description: string;
  targets: SkillTarget[];
  tags: string[];
  source: "builtin" | "user";
  ownerId?: string;
  ownerName?: string;
  editable: boolean;
  revision: number;
  createdAt?: string;
  updatedAt?: string;
}

export interface Skill extends SkillSummary {
  systemPrompt: string;
  promptTemplate: string;
  suggestedOutputFields: OutputField[];
}

export type SkillFields = Pick<
  Skill,
  "name" | "description" | "targets" | "tags" | "systemPrompt" | "promptTemplate" | "suggestedOutputFields"
>;

/** Every query of skills starts with this key. */
export const skillsKey = ["skills"] as const;

/** The most that the server lists at once. */
const pageSize = 500;

/** All skills, without their texts; lists filter them while a person types. */
export const skillsQuery = queryOptions({
  queryKey: [...skillsKey, "list"],
  queryFn: async ({ signal }) => {
    const skills: SkillSummary[] = [];
    let cursor = "";
    do {
      const filter = new URLSearchParams({ limit: String(pageSize) });
      if (cursor) filter.set("cursor", cursor);
      const page = await request<{ skills: SkillSummary[]; nextCursor?: string }>("GET", `/api/ai/skills?${filter}`, {
        signal,
      });
      skills.push(...page.skills);
      cursor = page.nextCursor ?? "";
    } while (cursor);
    return skills;
  },
});

export const skillQuery = (id: string) =>
  queryOptions({
    queryKey: [...skillsKey, "one", id],
    queryFn: ({ signal }) => request<Skill>("GET", `/api/ai/skills/${encodeURIComponent(id)}`, { signal }),
  });

export const createSkill = (fields: SkillFields, idempotencyKey: string) =>
  request<Skill>("POST", "/api/ai/skills", { body: fields, idempotencyKey });

export const updateSkill = (skill: Skill, fields: SkillFields, idempotencyKey: string) =>
  request<Skill>("PATCH", `/api/ai/skills/${skill.id}`, { body: fields, revision: skill.revision, idempotencyKey });

export const deleteSkill = (skill: SkillSummary, idempotencyKey: string) =>
  request<void>("DELETE", `/api/ai/skills/${skill.id}`, { revision: skill.revision, idempotencyKey });
