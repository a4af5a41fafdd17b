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
  if (status === 502 || status === 503 || status === 504) {
    return new Problem({ status, detail: "The server is not ready to answer. Wait a moment and try again." });
  }
  return new Problem({ status, detail: `The server answered with status ${status} and gave no reason.` });
}

/** What a person reads about a failed request. */
export function explain(error: unknown): string {
  if (error instanceof Problem) return error.message;
  if (error instanceof ConnectionLost) return "The server cannot be reached. Check the connection and try again.";
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
    throw error instanceof TypeError ? new ConnectionLost(error) : error;
  }
}
