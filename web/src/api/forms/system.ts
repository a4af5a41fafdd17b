import { z } from "zod";
import type { NewContact, System } from "../catalog";
import { formatMetadata, metadataSchema, parseList } from "./metadata";
import { chosen, filled } from "./named";

/** A system, with the metadata that it has: values that were not text stay what they were. */
export const systemSchema = (metadata: System["metadata"] | undefined) =>
  z.object({
    name: filled,
    description: z.string().trim(),
    ownerTeamId: z.string().transform((id) => id || undefined),
    tags: z.string().transform(parseList),
    metadata: metadataSchema(metadata),
  });

export const systemValues = (system: System | undefined) => ({
  name: system?.name ?? "",
  description: system?.description ?? "",
  ownerTeamId: "",
  tags: (system?.tags ?? []).join(", "),
  metadata: formatMetadata(system?.metadata),
});

export const linkSchema = z.object({
  url: z.string().trim().pipe(z.url("Enter an address that begins with https://")),
  label: z.string().trim(),
});

/** A mailbox or a person, of which the form holds both. */
export const contactSchema = z
  .object({
    type: z.enum(["mailbox", "user"]),
    label: z.string().trim(),
    email: z.string().trim(),
    userId: z.string(),
  })
  .check(({ value: { type, email, userId }, issues }) => {
    if (type === "mailbox" && !z.email().safeParse(email).success)
      issues.push({ code: "custom", path: ["email"], message: "Enter an e-mail address.", input: email });
    if (type === "user" && userId === "")
      issues.push({ code: "custom", path: ["userId"], message: "Choose one.", input: userId });
  })
  .transform(({ type, label, email, userId }): NewContact =>
    type === "user" ? { type, label, userId } : { type, label, email },
  );

export const contactValues = () => ({ type: "mailbox" as const, label: "", email: "", userId: "" });

export const groupChoiceSchema = z.object({ groupId: chosen });

export const ownerSchema = z.object({ teamId: z.string() });

export const environmentsSchema = z.object({ environmentIds: z.array(z.string()) });
