import { Backoff } from "./backoff";
import { takeEarly } from "./early";
import { holdsUnsaved, PartMissing, whileMissing } from "./partmissing";
import { ConnectionLost, isGatewayStatus } from "./problem";

/** Whether the server answers: it may also do so, but not to a request that waits. */
export type Reach = "answers" | "slow" | "away";

/** When a request is looked into that has no answer. Together with a probe less than five seconds. */
const overdueMilliseconds = 3_000;
const probeMilliseconds = 1_500;
/**
 * Between the probes of one page, on average: the pages of a server that was restarted return within two seconds, and
 * at different moments.
 */
const betweenProbesMilliseconds = 1_000;
/** Timeout of a read: it then fails and can be repeated. */
const givenUpMilliseconds = 20_000;

/** A read that was given up. */
export class Unanswered extends ConnectionLost {}

/**
 * Knows whether the server answers, from the requests that are made and, as soon as one of them is in doubt, from probes. It
 * does nothing before it is started.
 */
export class Reachability {
  readonly #probe: (signal: AbortSignal) => Promise<boolean>;
  #started = false;
  #state: Reach = "answers";
  #looking: Promise<void> | null = null;
  #next: ReturnType<typeof setTimeout> | undefined;
  readonly #overdue = new Set<symbol>();
  readonly #listeners = new Set<() => void>();

  /** Probes whether the server answers; throws when the probe was aborted or reached nothing. */
  constructor(probe: (signal: AbortSignal) => Promise<boolean>) {
    this.#probe = probe;
  }

  start(): void {
    this.#started = true;
  }

  state = (): Reach => this.#state;

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Does something that the server answers; patiently, when it may well take long. */
  async watch<T>(work: () => Promise<T>, patiently = false): Promise<T> {
    if (!this.#started) return work();
    const request = Symbol("request");
    const late = setTimeout(() => {
      if (!patiently) this.#overdue.add(request);
      void this.look();
    }, overdueMilliseconds);
    try {
      const result = await work();
      if (result instanceof Response && isGatewayStatus(result.status)) void this.look();
      else if (this.#state === "away") this.#change("answers");
      return result;
    } catch (error) {
      if (!isCancelled(error)) void this.look();
      throw error;
    } finally {
      clearTimeout(late);
      this.#overdue.delete(request);
      if (this.#state === "slow" && this.#overdue.size === 0) this.#change("answers");
    }
  }

  /** Sends a request. Reads time out, writes never: their outcome would be unknown. */
  async send(request: Request): Promise<Response> {
    if (!this.#started) return fetch(request);
    if (request.method !== "GET") return this.watch(() => fetch(request), true);
    const given = new AbortController();
    const timer = setTimeout(() => given.abort(), givenUpMilliseconds);
    const signal = AbortSignal.any([request.signal, given.signal]);
    try {
      return await this.watch(() => takeEarly(request, signal) ?? fetch(request, { signal }));
    } catch (error) {
      throw given.signal.aborted && !request.signal.aborted ? new Unanswered(error) : error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Finds out whether the server answers. */
  look(): Promise<void> {
    if (!this.#started) return Promise.resolve();
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  /** Waits until the server answers. */
  async back(): Promise<void> {
    if (!this.#started) return;
    await this.look();
    if (this.#state !== "away") return;
    await new Promise<void>((resolve) => {
      const stop = this.subscribe(() => {
        if (this.#state === "away") return;
        stop();
        resolve();
      });
    });
  }

  async #look(): Promise<void> {
    clearTimeout(this.#next);
    const over = new AbortController();
    const timer = setTimeout(() => over.abort(), probeMilliseconds);
    const answers = await this.#probe(over.signal).catch(() => false);
    clearTimeout(timer);
    this.#change(answers ? (this.#overdue.size > 0 ? "slow" : "answers") : "away");
    const pause = betweenProbesMilliseconds * (0.75 + Math.random() / 2);
    if (this.#state !== "answers") this.#next = setTimeout(() => void this.look(), pause);
  }

  #change(state: Reach): void {
    if (state === this.#state) return;
    this.#state = state;
    if (state === "answers") clearTimeout(this.#next);
    for (const listener of this.#listeners) listener();
  }
}

const isCancelled = (error: unknown) => error instanceof DOMException && error.name === "AbortError";

export const reach = new Reachability(async (signal) => {
  const response = await fetch(new URL("/healthz", location.origin), { cache: "no-store", signal });
  return !isGatewayStatus(response.status);
});

/** Makes reach observe the requests of this document, and the browser's online state. */
export function watchConnection(): void {
  reach.start();
  for (const event of ["online", "offline"]) window.addEventListener(event, look);
}

const look = () => void reach.look();

/** How often a part is imported before it counts as missing, and how often it is while text would be lost. */
const mostImports = 3;
const stuckPauses = { first: 4_000, longest: 60_000 };

/**
 * Loads a part of the app. While the server is away it waits instead of failing: a page that opens late is better than one
 * that cannot be shown. A part that stays missing is a PartMissing, but not before the page holds no unsaved text.
 */
export async function loaded<Part>(load: () => Promise<Part>): Promise<Part> {
  const stuck = new Backoff(stuckPauses);
  for (let failures = 0; ;) {
    try {
      if (reach.state() === "away") await reach.back();
      return await reach.watch(load);
    } catch (error) {
      // A server that answers and does not have the part is of another version.
      await reach.back();
      if (++failures < mostImports) continue;
      if (!holdsUnsaved()) throw new PartMissing(error);
      await whileMissing(new Promise((resolve) => setTimeout(resolve, stuck.next())));
    }
  }
}
