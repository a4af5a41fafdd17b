import { z } from "zod";
import type { McpServer, McpServerFields } from "../mcpservers";
import { filled } from "./named";

/** An MCP server of others. Its slug stays what it is. */
export const mcpServerSchema = z
  .object({
    slug: filled.regex(
      /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/,
      "Use small letters, digits and hyphens, with a letter or a digit at both ends.",
    ),
    name: filled,
    address: z.string().trim().pipe(z.url("Enter an address that begins with https://")),
    auth: z.enum(["none", "bearer", "header"]),
    header: z.string().trim(),
    secret: z.string().trim(),
    enabled: z.boolean(),
  })
  .refine(({ auth, header }) => auth !== "header" || header, { path: ["header"], message: "Fill this in." })
  .refine(({ auth, secret }) => auth === "none" || secret, { path: ["secret"], message: "Fill this in." })
  .transform((form): McpServerFields => ({
    slug: form.slug,
    name: form.name,
    address: form.address,
    auth: form.auth,
    header: form.auth === "header" ? form.header : undefined,
    secret: form.auth === "none" ? undefined : form.secret,
    enabled: form.enabled,
  }));

export const mcpServerValues = (server: McpServer | undefined) => ({
  slug: server?.slug ?? "",
  name: server?.name ?? "",
  address: server?.address ?? "",
  auth: server?.auth ?? ("none" as const),
  header: server?.header ?? "",
  secret: server?.secret ?? "",
  enabled: server?.enabled ?? true,
});
