import type { components } from "./schema";

/** RFC 9457 problem document as the server writes it; a proxy in between leaves all but the status out. */
export type ProblemDocument = Pick<components["schemas"]["ApiProblemDocument"], "status"> &
  Partial<components["schemas"]["ApiProblemDocument"]>;

/** One field difference, as proposals and drift refusals carry it. */
export type FieldChange = components["schemas"]["ToolChange"];

/** An answer of the server that refuses the request. */
export class Problem extends Error {
  readonly document: ProblemDocument;

  constructor(document: ProblemDocument) {
    super(document.detail || document.title || `The server answered with status ${document.status}.`);
    this.name = "Problem";
    this.document = document;
  }

  get status(): number {
    return this.document.status;
  }

  get code(): string | undefined {
    return this.document.code;
  }
}

/**
 * Reads a refused response. A proxy in between may answer with HTML or with
 * nothing, so a body that is no problem document becomes a plain sentence.
 */
export function parseProblem(status: number, body: string): Problem {
  try {
    const parsed: unknown = JSON.parse(body);
    if (typeof parsed === "object" && parsed !== null && ("detail" in parsed || "title" in parsed)) {
      return new Problem({ ...(parsed as Omit<ProblemDocument, "status">), status });
    }
  } catch {
    // Not JSON: fall through to the sentence below.
  }
  if (isGatewayStatus(status)) {
    return new Problem({ status, detail: "The server is not ready to answer. Wait a moment and try again." });
  }
  return new Problem({ status, detail: `The server answered with status ${status} and gave no reason.` });
}

const uuid = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const missing = new RegExp(`^No ([a-z][a-z ]*) has the id ${uuid}\\. .*$`);
const withId = new RegExp(`\\bno ([a-z]+) with the id ${uuid}`, "g");
const anyId = new RegExp(` ?\\(id ${uuid}\\)| ?${uuid}`, "g");

/** A text of the server without the ids, which say something to programs alone. */
export function withoutIds(text: string): string {
  return text
    .replace(missing, "There is no such $1. It may have been deleted.")
    .replaceAll(withId, "no such $1")
    .replaceAll(anyId, "");
}

const forbidden = /^Forbidden: (.+) \(missing permissions?: [^)]*\)\.$/s;

/** A refusal without the names of rules, which say something to administrators alone. */
const withoutRules = (text: string): string =>
  text.replace(
    forbidden,
    (_, what: string) => `Your roles do not allow this: ${what}. Ask an administrator for access.`,
  );

/** Explains a failed request to a person. */
export function explain(error: unknown): string {
  if (error instanceof Problem) return withoutIds(withoutRules(error.message));
  if (error instanceof ConnectionLost) return "The server did not respond. Try again.";
  if (error instanceof Error && error.message) return error.message;
  return "Something went wrong. Try again.";
}

/**
 * No answer arrived, or it broke off, so nobody knows whether the server acted.
 * The AI SDK recognises a lost connection by the class and a word of the
 * message, hence TypeError and "network".
 */
export class ConnectionLost extends TypeError {
  constructor(cause: unknown) {
    super("The network connection was lost.", { cause });
    this.name = "ConnectionLost";
  }
}

/** Runs network work and tells a lost connection from every other error. */
export async function online<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof TypeError && !(error instanceof ConnectionLost) ? new ConnectionLost(error) : error;
  }
}

/** Whether a proxy could not reach the server, or the server is not ready. */
export function isGatewayStatus(status: number): boolean {
  return status === 502 || status === 503 || status === 504;
}

/** Whether no server answered, so that a retry may succeed once it is back. */
export function isUnanswered(error: unknown): boolean {
  return error instanceof ConnectionLost || (error instanceof Problem && isGatewayStatus(error.status));
}
