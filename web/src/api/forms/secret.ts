import { z } from "zod";
import type { Secret } from "../secrets";

/** A secret; one that is stored keeps its value when none is entered. */
export const secretSchema = (secret: Secret | undefined) =>
  z.object({
    name: secret ? z.string() : z.string().regex(/^[A-Z][A-Z0-9_]*$/, "Begin with a letter."),
    description: z.string(),
    value: secret ? z.string() : z.string().min(1, "Fill this in."),
  });

export const secretValues = (secret: Secret | undefined) => ({
  name: secret?.name ?? "",
  description: secret?.description ?? "",
  value: "",
});
