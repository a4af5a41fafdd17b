import { z } from "zod";
import type { Schema } from "../api/client";
import { chosen } from "../api/forms/named";
import type { Grant, Relation } from "../api/grants";

/** Descriptions of the relations. */
export const relations: Record<Relation, string> = { viewer: "use it", editor: "write it", owner: "own it" };

/** Values of the sharing form. A subject is "team:" or another kind with an id. */
export interface SharingFields {
  closed: boolean;
  grants: { subject: string; relation: Relation }[];
}

export const subjectOf = ({ subjectType, subjectId }: Pick<Grant, "subjectType" | "subjectId">) =>
  `${subjectType}:${subjectId}`;

export function subjectWords({ subjectType, subjectName, subjectId }: Grant): string {
  const name = subjectName || subjectId;
  return subjectType === "user" ? name : `${name} (${subjectType})`;
}

export const sharingSchema = z
  .object({
    closed: z.boolean(),
    grants: z.array(z.object({ subject: chosen, relation: z.enum(["viewer", "editor", "owner"]) })).check((context) => {
      const seen = new Set<string>();
      for (const [index, { subject }] of context.value.entries()) {
        if (subject !== "" && seen.has(subject))
          context.issues.push({
            code: "custom",
            message: "Already listed.",
            input: subject,
            path: [index, "subject"],
          });
        seen.add(subject);
      }
    }),
  })
  .check((context) => {
    const { closed, grants } = context.value;
    // Nobody would see it in the app who could open it again.
    if (closed && !grants.some(({ relation }) => relation === "owner"))
      context.issues.push({
        code: "custom",
        message: "List at least one owner: only owners can change access.",
        input: closed,
        path: ["closed"],
      });
  });

/** Request body of the form. */
export const accessOf = ({ closed, grants }: SharingFields): Schema<"AuthAccess"> => ({
  private: closed,
  grants: grants.map(({ subject, relation }) => {
    const at = subject.indexOf(":");
    return { subjectType: subject.slice(0, at) as Grant["subjectType"], subjectId: subject.slice(at + 1), relation };
  }),
});
