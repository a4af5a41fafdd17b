import { z } from "zod";
import type { NamedFields } from "../catalog";
import { formatMetadata, metadataSchema } from "./metadata";

/** A text that has to be there. */
export const filled = z.string().trim().min(1, "Fill this in.");

/** What a choice out of a list holds when it has to be made. */
export const chosen = z.string().min(1, "Choose one.");

/** What groups, environments and teams are made of. Values of free fields that were not text stay what they were. */
export const namedSchema = (previous: NamedFields["fields"]) =>
  z.object({
    name: filled,
    description: z.string().trim(),
    fields: metadataSchema(previous),
  });

export const namedValues = (item: NamedFields | undefined) => ({
  name: item?.name ?? "",
  description: item?.description ?? "",
  fields: formatMetadata(item?.fields),
});
