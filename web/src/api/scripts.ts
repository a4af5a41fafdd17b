import { queryOptions } from "@tanstack/react-query";
import { request } from "./client";

/** The part of the product that a script belongs to; it names the routes. */
export type ScriptArea = "healthcheck" | "automation";

export type ScriptContextId =
  | "healthcheck-script"
  | "healthcheck-shell"
  | "automation-action-script"
  | "automation-action-shell";

/** What the author of a script has to know about where it runs. */
export interface ScriptContext {
  context: ScriptContextId;
  language: "typescript" | "shell";
  sdkModule?: string;
  helper?: string;
  /** TypeScript declarations; for shell, the environment variables and commands as text. */
  declarations: string;
  shellEnv?: { name: string; description: string }[];
  starterExample: string;
}

/** One run of a script that nothing keeps. */
export interface ScriptTest {
  context: ScriptContextId;
  source: string;
  config?: unknown;
  sampleContext?: unknown;
  env?: Record<string, string>;
  /** Variables that name a secret of the vault; a test gets a placeholder. */
  secretEnv?: Record<string, string>;
  timeoutMs: number;
  checkTypes: boolean;
}

/** A place in the script; lines and columns count from 1. */
export interface ScriptPosition {
  line: number;
  column: number;
}

/** A finding of the compiler. The end is exclusive. */
export interface ScriptDiagnostic extends ScriptPosition {
  rule: "syntax" | "import" | "shape" | "type";
  severity: "error" | "warning";
  /** Absent for messages that are not TypeScript's. */
  code?: number;
  message: string;
  endLine: number;
  endColumn: number;
}

export interface ScriptFrame extends ScriptPosition {
  function?: string;
}

export type ScriptLimit = "timeout" | "memory" | "output" | "result" | "host_calls";

/** How a test went. Whatever the script did is an outcome, never a refusal. */
export interface ScriptOutcome {
  result?: unknown;
  stdout: string;
  stderr: string;
  /** Of a shell script that came to its end. */
  exitCode?: number;
  durationMs: number;
  timedOut: boolean;
  error?: { name: string; message: string; stack: ScriptFrame[] };
  sandboxDowngraded: boolean;
  networkAllowed: boolean;
  diagnostics: ScriptDiagnostic[];
  typesChecked: boolean;
  typesReason?: string;
  logs: { level: string; text: string }[];
  limitsHit: ScriptLimit[];
  /** What was left out or changed before the run. */
  warnings: string[];
}

export const scriptContextQuery = (area: ScriptArea, context: ScriptContextId) =>
  queryOptions({
    queryKey: ["script-context", context],
    queryFn: ({ signal }) => request<ScriptContext>("GET", `/api/${area}/script-contexts/${context}`, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const testScript = (area: ScriptArea, test: ScriptTest, signal: AbortSignal) =>
  request<ScriptOutcome>("POST", `/api/${area}/script-tests`, { body: test, signal });
