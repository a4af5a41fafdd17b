import { ConnectionLost, Problem } from "./problem";

interface Bounds {
  /** The ceiling of the first delay and of all delays, in ms. */
  first: number;
  longest: number;
}

/** Exponential backoff with jitter and a cap: clients that have lost a server at one moment return at different ones. */
export class Backoff {
  readonly #bounds: Bounds;
  #failures = 0;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  /** The delay before the next attempt, in ms: at least what the server asks for, which is then the longer by jitter. */
  next(least = 0): number {
    const { first, longest } = this.#bounds;
    const ceiling = Math.min(first * 2 ** this.#failures, longest);
    this.#failures++;
    const jitter = 0.5 + Math.random() / 2;
    return Math.max(ceiling * jitter, least > 0 ? least + first * (jitter - 0.5) : 0);
  }

  reset(): void {
    this.#failures = 0;
  }
}

/** Whether a later attempt may succeed: no answer came, the server failed, or it asks for fewer requests. */
export function isTransient(error: unknown): boolean {
  if (error instanceof ConnectionLost) return true;
  return error instanceof Problem && (error.status >= 500 || error.status === 429);
}

/** How long the server asks to wait before the next attempt, in ms; 0 if it does not say. */
export function retryAfter(error: unknown): number {
  return error instanceof Problem ? (error.document.retryAfterSeconds ?? 0) * 1_000 : 0;
}

/** The seconds of a Retry-After header, which holds a number of seconds or a date. */
export function parseRetryAfter(value: string | null | undefined, now: number): number | undefined {
  if (!value) return undefined;
  const seconds = /^\d+$/.test(value.trim()) ? Number(value) : (Date.parse(value) - now) / 1_000;
  return seconds > 0 ? Math.ceil(seconds) : undefined;
}
