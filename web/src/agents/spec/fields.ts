import { z } from "zod";
import type { AgentTool, Spec } from "../../api/agents";

/** Values of the form about secrets and limits. */
export interface SpecFields {
  secrets: { name: string; hosts: string }[];
  tools: { id: string; people: boolean; approval: boolean; readWithSecrets: boolean; dynamic: boolean }[];
  timeout: string;
}

export const limits = { secrets: 32, hosts: 16, timeout: { min: 0.1, max: 30 } } as const;

/** The hosts of a text with one in each line. */
export const hostsOf = (text: string) =>
  text
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter(Boolean);

const secret = z.object({
  name: z
    .string()
    .trim()
    .regex(/^[A-Z][A-Z0-9_]{0,63}$/, "A capital letter, then capital letters, digits and _ only."),
  hosts: z.string().check((context) => {
    const hosts = hostsOf(context.value);
    const message =
      hosts.length === 0
        ? "Name at least one host."
        : hosts.length > limits.hosts
          ? `At most ${limits.hosts} hosts.`
          : undefined;
    if (message) context.issues.push({ code: "custom", message, input: context.value });
  }),
});

export const specSchema = z
  .object({
    secrets: z.array(secret).max(limits.secrets),
    tools: z.array(
      z.object({
        id: z.string(),
        people: z.boolean(),
        approval: z.boolean(),
        readWithSecrets: z.boolean(),
        dynamic: z.boolean(),
      }),
    ),
    timeout: z
      .string()
      .trim()
      .refine((text) => {
        if (text === "") return true;
        const seconds = Number(text);
        return seconds >= limits.timeout.min && seconds <= limits.timeout.max;
      }, `A number from ${limits.timeout.min} to ${limits.timeout.max}, or leave it empty.`),
  })
  .transform(specOf);

/** Builds the form's values. They include tools without a setting, and settings of removed tools. */
export function fieldsOf(spec: Spec, tools: readonly Pick<AgentTool, "id">[]): SpecFields {
  const ids = [...new Set([...tools.map(({ id }) => id), ...Object.keys(spec.tools ?? {})])];
  return {
    secrets: (spec.secrets ?? []).map(({ name, allowed_hosts }) => ({ name, hosts: allowed_hosts.join("\n") })),
    tools: ids.map((id) => {
      const { requires_identity, requires_approval, read_with_secrets, allow_dynamic_secret_refs } =
        spec.tools?.[id] ?? {};
      return {
        id,
        people: requires_identity === "countersign",
        approval: requires_approval ?? false,
        readWithSecrets: read_with_secrets ?? false,
        dynamic: allow_dynamic_secret_refs ?? false,
      };
    }),
    timeout: spec.limits?.timeout_ms ? String(spec.limits.timeout_ms / 1_000) : "",
  };
}

/** Request body: only settings that differ from the default. */
export function specOf({ secrets, tools, timeout }: SpecFields): Spec {
  const settings = tools.flatMap(({ id, people, approval, readWithSecrets, dynamic }) => {
    const setting = {
      ...(people && { requires_identity: "countersign" as const }),
      ...(approval && { requires_approval: true }),
      ...(readWithSecrets && { read_with_secrets: true }),
      ...(dynamic && { allow_dynamic_secret_refs: true }),
    };
    return Object.keys(setting).length > 0 ? [[id, setting] as const] : [];
  });
  return {
    ...(secrets.length > 0 && {
      secrets: secrets.map(({ name, hosts }) => ({ name: name.trim(), allowed_hosts: hostsOf(hosts) })),
    }),
    ...(settings.length > 0 && { tools: Object.fromEntries(settings) }),
    ...(timeout.trim() !== "" && { limits: { timeout_ms: Math.round(Number(timeout) * 1_000) } }),
  };
}
