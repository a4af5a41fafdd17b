import { z } from "zod";
import type { McpServer, McpServerFields } from "../mcpservers";
import { filled } from "./named";

/** An MCP server of others. Its slug stays what it is. */
export const mcpServerSchema = z
  .object({
    slug: filled.regex(
      /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/,
      "Use lowercase letters, digits and hyphens, starting and ending with a letter or digit.",
    ),
    name: filled,
    address: z.string().trim().pipe(z.url("Enter an address that begins with https://")),
    auth: z.enum(["none", "bearer", "header", "oauth"]),
    header: z.string().trim(),
    secret: z.string().trim(),
    clientId: z.string().trim(),
    issuer: z.string().trim(),
    scopes: z.string().trim(),
    enabled: z.boolean(),
  })
  .refine(({ auth, header }) => auth !== "header" || header, { path: ["header"], message: "Fill this in." })
  .refine(({ auth, secret }) => auth === "none" || auth === "oauth" || secret, {
    path: ["secret"],
    message: "Fill this in.",
  })
  .refine(({ auth, secret, clientId }) => auth !== "oauth" || !secret || clientId, {
    path: ["clientId"],
    message: "Required with a client secret.",
  })
  .refine(({ auth, secret, issuer }) => auth !== "oauth" || !secret || issuer, {
    path: ["issuer"],
    message: "Required: the secret is sent only there.",
  })
  .transform((form): McpServerFields => ({
    slug: form.slug,
    name: form.name,
    address: form.address,
    auth: form.auth,
    header: form.auth === "header" ? form.header : undefined,
    secret: form.auth === "none" ? undefined : form.secret,
    clientId: form.auth === "oauth" ? form.clientId : undefined,
    issuer: form.auth === "oauth" ? form.issuer : undefined,
    scopes: form.auth === "oauth" ? form.scopes : undefined,
    enabled: form.enabled,
  }));

export const mcpServerValues = (server: McpServer | undefined) => ({
  slug: server?.slug ?? "",
  name: server?.name ?? "",
  address: server?.address ?? "",
  auth: server?.auth ?? ("none" as const),
  header: server?.header ?? "",
  secret: server?.secret ?? "",
  clientId: server?.clientId ?? "",
  issuer: server?.issuer ?? "",
  scopes: server?.scopes ?? "",
  enabled: server?.enabled ?? true,
});
