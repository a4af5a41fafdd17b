import { z } from "zod";
import type { Memory, NewMemory } from "../memories";
import { parseList } from "./metadata";
import { filled } from "./named";

/** A memory of the person, or on the system that the form names. */
export const memorySchema = z
  .object({
    systemId: z.string(),
    recallHint: filled,
    content: filled,
    tags: z.string().transform(parseList),
    alwaysInject: z.boolean(),
  })
  .transform(({ systemId, ...fields }): NewMemory => ({
    ...fields,
    scope: systemId ? "system" : "user",
    systemId: systemId || undefined,
  }));

export const memoryValues = (memory: Memory | undefined, systemId = "") => ({
  systemId: memory?.systemId ?? systemId,
  recallHint: memory?.recallHint ?? "",
  content: memory?.content ?? "",
  tags: (memory?.tags ?? []).join(", "),
  alwaysInject: false,
});
