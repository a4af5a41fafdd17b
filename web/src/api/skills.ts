import { queryOptions } from "@tanstack/react-query";
import { answer, api, everyPage, of, once, type Schema } from "./client";

/** A slug is the id of a built-in skill, a UUID that of any other. */
export type SkillSummary = Schema<"SkillListedSkill">;
export type Skill = Schema<"SkillSkill">;
export type SkillTarget = SkillSummary["targets"][number];
export type OutputField = Schema<"SkillAnswerField">;
export type FieldType = OutputField["type"];

export type SkillFields = Required<Schema<"SkillNewSkill">>;

/** Every query of skills starts with this key. */
export const skillsKey = ["skills"] as const;

/** All skills, without their texts; lists filter them while a person types. */
export const skillsQuery = queryOptions({
  queryKey: [...skillsKey, "list"],
  queryFn: ({ signal }) =>
    everyPage(
      (query) => answer(api.GET("/api/ai/skills", { params: { query }, signal })),
      ({ skills }) => skills,
    ),
});

export const skillQuery = (id: string) =>
  queryOptions({
    queryKey: [...skillsKey, "one", id],
    queryFn: ({ signal }) => answer(api.GET("/api/ai/skills/{id}", { params: { path: { id } }, signal })),
  });

export const createSkill = (body: SkillFields, key: string) =>
  answer(api.POST("/api/ai/skills", { params: { header: once(key) }, body }));

export const updateSkill = (skill: Skill, body: SkillFields, key: string) =>
  answer(api.PATCH("/api/ai/skills/{id}", { params: of(skill, key), body }));

export const deleteSkill = (skill: SkillSummary, key: string) =>
  answer(api.DELETE("/api/ai/skills/{id}", { params: of(skill, key) }));
