import type { Capabilities, DryRunInput, Spec } from "../../api/agents";

/**
 * Secrets of a call: those that the source names, or all where that list may be incomplete, as far as the agent may
 * use them.
 */
export function secretsOf(capabilities: Capabilities | undefined, spec: Spec): string[] {
  const declared = (spec.secrets ?? []).map(({ name }) => name);
  if (!capabilities || capabilities.dynamic_secret_refs) return declared.toSorted();
  return declared.filter((name) => capabilities.secret_refs.includes(name)).toSorted();
}

/** Input of a call beside the tool itself. A secret without a test value gets the server's placeholder. */
export function inputOf(
  args: Record<string, unknown>,
  secrets: readonly string[],
  mocks: Readonly<Record<string, string>>,
): Pick<DryRunInput, "args" | "mock_secrets"> {
  const written = secrets.flatMap((name) => (mocks[name] ? [[name, mocks[name]] as const] : []));
  return written.length > 0 ? { args, mock_secrets: Object.fromEntries(written) } : { args };
}
