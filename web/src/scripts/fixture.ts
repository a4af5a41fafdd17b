import type { ScriptOutcome } from "../api/scripts";

/** For tests: the outcome of a script that did nothing and ended well. */
export const quietOutcome: ScriptOutcome = {
  stdout: "",
  stderr: "",
  durationMs: 5,
  timedOut: false,
  sandboxDowngraded: false,
  networkAllowed: false,
  diagnostics: [],
  typesChecked: true,
  logs: [],
  limitsHit: [],
  warnings: [],
};
