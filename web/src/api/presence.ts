import type { components } from "./schema";

/** Whom the page is for. */
export type Person = Pick<components["schemas"]["AuthMe"], "id" | "name" | "email">;

interface Ways {
  /** Loads the signed-in user; null without one. */
  look: () => Promise<Person | null>;
  /** Another user is signed in: nothing of this page is theirs. */
  onOther: () => void;
}

/** How often a request is sent again that is refused however often the person signs in. */
const mostRepeats = 3;

/**
 * Presence holds the person of the page, and their requests when the session has ended: requests wait until the same
 * person signs in again, over the page or in another tab, and are then retried. They are never retried for another
 * user.
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

  /** Whether the session is known to have ended, with or without a sign-in request. */
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

  /** The page has no user: waiting requests fail. */
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

  /** Checks for a sign-in elsewhere, while the session has ended or requests wait for it. */
  async check(): Promise<void> {
    if (this.#waiting.size > 0 || this.over()) await this.#look();
  }

  /** Checks whether the session has ended, after a background request was refused. It does not request a sign-in. */
  async suspect(): Promise<void> {
    if (this.#person && !this.over()) await this.#look();
  }

  /** Requests a sign-in that the person wants. */
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

  /** Continues after a sign-in over the page. */
  resume(person: Person): void {
    this.#meet(person);
  }

  #meet(now: Person | null): void {
    if (!this.#person) return;
    if (now === null) {
      this.#over = true;
      // Requests of the person wait for it.
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
