import { z } from "zod";
import type { NamedFields } from "../catalog";
import { formatMetadata, metadataSchema } from "./metadata";

/** A text that has to be there. */
export const filled = z.string().trim().min(1, "Fill this in.");

/** Required choice from a list. */
export const chosen = z.string().min(1, "Choose one.");

/** Schema of groups, environments and teams. Values of free fields that were not text keep their type. */
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
