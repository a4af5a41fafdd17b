import type { components } from "./schema";

/** Whom the page is for. */
export type Person = Pick<components["schemas"]["AuthMe"], "id" | "name" | "email">;

interface Ways {
  /** Who is signed in now; null when nobody is. */
  look: () => Promise<Person | null>;
  /** Somebody else is signed in: nothing of this page is theirs. */
  onOther: () => void;
}

/** How often a request is sent again that is refused however often the person signs in. */
const mostRepeats = 3;

/**
 * Whom the page is for, and what becomes of requests when their session is over: they wait until the same person has signed
 * in again, over the page or in another tab, and are sent once more. Nothing is ever sent again for somebody else.
 */
export class Presence {
  readonly #ways: Ways;
  #person: Person | null = null;
  #asks = false;
  #over = false;
  #looking = false;
  #waiting = new Set<(again: boolean) => void>();
  readonly #listeners = new Set<() => void>();

  constructor(ways: Ways) {
    this.#ways = ways;
  }

  person = (): Person | null => this.#person;

  /** Whether the person has to sign in for the page to go on. */
  asks = (): boolean => this.#asks;

  /** Whether their session is known to be over, whether or not they are asked to sign in yet. */
  over = (): boolean => this.#over || this.#asks;

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The page is for this person from now on. */
  begin(person: Person): void {
    if (this.#person && this.#person.id !== person.id) this.end();
    this.#person = person;
  }

  /** The page is for nobody: what waits is refused. */
  end(): void {
    this.#person = null;
    this.#settle(false);
  }

  /** Sends a request, and sends it again when the person has signed in again after a refusal. */
  async send(request: () => Promise<Response>, signal?: AbortSignal | null): Promise<Response> {
    for (let repeats = 0; ; repeats++) {
      signal?.throwIfAborted();
      const response = await request();
      if (response.status !== 401 || repeats === mostRepeats || !(await this.#regained(signal))) return response;
    }
  }

  /** Finds out whether somebody has signed in elsewhere, while the session is over or requests wait for it. */
  async check(): Promise<void> {
    if (this.#waiting.size > 0 || this.over()) await this.#look();
  }

  /** Finds out whether the session is over, as something that nobody has asked for was refused. Nobody is asked to sign in because of it. */
  async suspect(): Promise<void> {
    if (this.#person && !this.over()) await this.#look();
  }

  /** The person wants to sign in, so they are asked to. */
  ask = (): void => {
    if (!this.#over || this.#asks) return;
    this.#asks = true;
    this.#tell();
  };

  async #look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    try {
      this.#meet(await this.#ways.look());
    } catch {
      // Nobody knows; a request was refused, after all.
      if (this.#waiting.size > 0) this.#meet(null);
    } finally {
      this.#looking = false;
    }
  }

  /** Somebody has signed in over the page. */
  resume(person: Person): void {
    this.#meet(person);
  }

  #meet(now: Person | null): void {
    if (!this.#person) return;
    if (now === null) {
      this.#over = true;
      // Whoever has asked for something waits for it.
      this.#asks ||= this.#waiting.size > 0;
      this.#tell();
    } else if (now.id === this.#person.id) this.#settle(true);
    else this.#ways.onOther();
  }

  #regained(signal: AbortSignal | null | undefined): Promise<boolean> {
    if (!this.#person) return Promise.resolve(false);
    const regained = new Promise<boolean>((resolve, reject) => {
      this.#waiting.add(resolve);
      signal?.addEventListener("abort", () => {
        this.#waiting.delete(resolve);
        reject(new DOMException("The request was cancelled.", "AbortError"));
      });
    });
    void this.check();
    return regained;
  }

  #settle(again: boolean): void {
    const waiting = [...this.#waiting];
    this.#waiting = new Set();
    this.#asks = false;
    this.#over = false;
    this.#tell();
    for (const go of waiting) go(again);
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

export const presence = new Presence({
  look: async () => {
    const response = await fetch(new URL("/api/me", location.origin), { credentials: "same-origin" });
    if (response.status === 401) return null;
    if (!response.ok) throw new Error(`The server answered with status ${response.status}.`);
    return (await response.json()) as Person;
  },
  onOther: () => {
    // Not even while the browser asks whether to leave.
    document.body.replaceChildren();
    window.location.replace("/");
  },
});

/** The header by which the server knows whom a request is meant to act for. */
export const personHeader = "Countersign-Person";
