import { queryOptions } from "@tanstack/react-query";
import { answer, api, type Schema } from "./client";

/** The part of the product that a script belongs to; it names the routes. */
export type ScriptArea = "healthcheck" | "automation";

/** Facts about the runtime of a script, for its author. */
export type ScriptContext = Schema<"SdkDescription">;
/** Where scripts are written. Custom tools are written with agents. */
export type ScriptContextId = Exclude<ScriptContext["context"], "custom-tool">;

/** One run of a script that nothing keeps. */
export type ScriptTest = Schema<"ScriptTestInput">;

/** How a test went. Whatever the script did is an outcome, never a refusal. */
export type ScriptOutcome = Schema<"ScriptTestOutput">;
export type ScriptLimit = ScriptOutcome["limitsHit"][number];

/** A finding of the compiler. The end is exclusive. */
export type ScriptDiagnostic = Schema<"TypescriptDiagnostic">;
export type ScriptFrame = Schema<"ScriptStackFrame">;

/** A place in the script; lines and columns count from 1. */
export type ScriptPosition = Pick<ScriptFrame, "line" | "column">;

export const scriptContextQuery = (area: ScriptArea, context: ScriptContextId) =>
  queryOptions({
    queryKey: ["script-context", context],
    queryFn: ({ signal }) =>
      answer(api.GET(`/api/${area}/script-contexts/{context}`, { params: { path: { context } }, signal })),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const testScript = (area: ScriptArea, body: ScriptTest, signal: AbortSignal) =>
  answer(api.POST(`/api/${area}/script-tests`, { body, signal }));
