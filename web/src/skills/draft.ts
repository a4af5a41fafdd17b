import { z } from "zod";
import { filled } from "../api/forms/named";
import type { FieldType, OutputField, Skill, SkillFields, SkillTarget } from "../api/skills";
import { parseList } from "../api/forms/metadata";

export const limits = { name: 120, description: 500, prompt: 8_000, fields: 20 } as const;

export interface FieldDraft {
  /** Tells rows apart while their keys are being typed. */
  row: number;
  key: string;
  type: FieldType;
  description: string;
  /** One per line. */
  options: string;
}

/** A skill as it stands in the form. */
export interface SkillDraft {
  name: string;
  description: string;
  targets: SkillTarget[];
  systemPrompt: string;
  promptTemplate: string;
  tags: string;
  fields: FieldDraft[];
}

export const emptyDraft: SkillDraft = {
  name: "",
  description: "",
  targets: ["chat"],
  systemPrompt: "",
  promptTemplate: "",
  tags: "",
  fields: [],
};

export function draftOf(skill: Skill): SkillDraft {
  return {
    name: skill.name,
    description: skill.description,
    targets: skill.targets,
    systemPrompt: skill.systemPrompt,
    promptTemplate: skill.promptTemplate,
    tags: skill.tags.join(", "),
    fields: skill.suggestedOutputFields.map((field, row) => ({
      ...field,
      row,
      options: (field.options ?? []).join("\n"),
    })),
  };
}

/** A copy has a name of its own, as names are unique. */
export function copyOf(skill: Skill): SkillDraft {
  return { ...draftOf(skill), name: `Copy of ${skill.name}`.slice(0, limits.name) };
}

export function newField(fields: FieldDraft[]): FieldDraft {
  return {
    row: Math.max(-1, ...fields.map(({ row }) => row)) + 1,
    key: "",
    type: "string",
    description: "",
    options: "",
  };
}

/** Request body. A skill for chats only has no fields of an analysis. */
export function fieldsOf(draft: SkillDraft): SkillFields {
  return {
    name: draft.name.trim(),
    description: draft.description.trim(),
    targets: draft.targets,
    systemPrompt: draft.systemPrompt.trim(),
    promptTemplate: draft.promptTemplate.trim(),
    tags: parseList(draft.tags),
    suggestedOutputFields: draft.targets.includes("ai_analyze") ? draft.fields.map(outputField) : [],
  };
}

function outputField({ key, type, description, options }: FieldDraft): OutputField {
  const field: OutputField = { key: key.trim(), type, description: description.trim() };
  if (type === "enum") {
    field.options = options
      .split("\n")
      .map((option) => option.trim())
      .filter((option) => option !== "");
  }
  return field;
}

const fieldSchema = z
  .object({
    row: z.number(),
    key: z.string().regex(/^[A-Za-z][A-Za-z0-9_]*$/, "Letters, digits and underscores, beginning with a letter."),
    type: z.enum(["string", "number", "boolean", "enum"]),
    description: filled,
    options: z.string(),
  })
  .refine(({ type, options }) => type !== "enum" || options.trim() !== "", {
    path: ["options"],
    message: "Fill this in.",
  });

/** Converts the form to a request. The server validates everything but empty fields. */
export const skillSchema = z
  .object({
    name: filled,
    description: filled,
    targets: z.array(z.enum(["chat", "ai_analyze"])),
    systemPrompt: z.string(),
    promptTemplate: z.string(),
    tags: z.string(),
    fields: z.array(fieldSchema),
  })
  .refine(({ targets, systemPrompt }) => !targets.includes("chat") || systemPrompt.trim() !== "", {
    path: ["systemPrompt"],
    message: "Fill this in.",
  })
  .transform(fieldsOf);
