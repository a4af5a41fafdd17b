import type { Capabilities, DryRunInput, Spec } from "../../api/agents";

/** The secrets for which a call may ask: those that its source names, and all of the agent's where that is not the whole list. */
export function secretsOf(capabilities: Capabilities | undefined, spec: Spec): string[] {
  const declared = (spec.secrets ?? []).map(({ name }) => name);
  if (!capabilities) return declared;
  const named = capabilities.secret_refs;
  return [...new Set(capabilities.dynamic_secret_refs ? [...named, ...declared] : named)].toSorted();
}

/** What stands for a secret of which nobody has written anything. */
export const standIn = (name: string) => `mock-${name.toLowerCase()}`;

/** What a call is given beside the tool itself. */
export function inputOf(
  args: Record<string, unknown>,
  secrets: readonly string[],
  mocks: Readonly<Record<string, string>>,
): Pick<DryRunInput, "args" | "mock_secrets"> {
  if (secrets.length === 0) return { args };
  return { args, mock_secrets: Object.fromEntries(secrets.map((name) => [name, mocks[name] || standIn(name)])) };
}
