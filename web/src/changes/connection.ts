import { Backoff } from "../api/backoff";
import { presence } from "../api/presence";
import { reach } from "../api/reach";
import type { paths } from "../api/schema";

const kinds = ["conversation", "proposal", "record", "health", "reset"] as const;

/** A change; a reset means that anything may have changed, a health change without an id any system. */
export interface Change {
  kind: (typeof kinds)[number];
  /** Of a record: such as catalog.system. */
  type?: string;
  id?: string;
}

/**
 * Callbacks of a connection: a change, or the state of the server and of health events, with the moment up to which all
 * were received.
 */
export interface Listener {
  onChange: (change: Change, last: string) => void;
  onAlive: (last: string, every: number, health: boolean) => void;
  onLost: () => void;
  /** The session has ended: no requests before the next sign-in. */
  onOver: () => void;
}

const endpoint = "/api/events" satisfies keyof paths;

/** Missed heartbeats after which the connection counts as dead. */
const missedBeats = 2.5;
const standardBeat = 15_000;

/** The connection to the stream of changes. It comes back by itself, after the last event, until it is closed. */
export class Connection {
  readonly #person: string;
  readonly #to: Listener;
  #last: string;
  /** Cursor of the received health events, "0" for none; undefined while unsubscribed. */
  #health: string | undefined;
  #told = false;
  #every = standardBeat;
  #source: EventSource | undefined;
  readonly #backoff = new Backoff({ first: 1_000, longest: 30_000 });
  #timer: ReturnType<typeof setTimeout> | undefined;
  #closed = false;

  constructor(person: string, last: string, to: Listener, health?: string) {
    this.#person = person;
    this.#last = last;
    this.#health = health;
    this.#to = to;
    if (presence.over()) void this.#comeBack();
    else this.#connect();
  }

  close(): void {
    this.#closed = true;
    this.#drop();
  }

  /**
   * Subscribes to health events or unsubscribes. The subscription belongs to the connection, so a new one is opened
   * that resumes after the last event.
   */
  askHealth(asks: boolean): void {
    if (asks === (this.#health !== undefined)) return;
    this.#health = asks ? "0" : undefined;
    if (this.#source) this.#connect();
  }

  #connect(): void {
    this.#drop();
    this.#told = false;
    const query = new URLSearchParams({ after: this.#last, person: this.#person });
    if (this.#health !== undefined) query.set("health", this.#health);
    const source = new EventSource(`${endpoint}?${query.toString()}`);
    this.#source = source;
    // The browser closes a refused stream without a reason.
    source.addEventListener("error", () => this.#again(source.readyState === EventSource.CLOSED));
    for (const kind of kinds)
      source.addEventListener(kind, (event: MessageEvent<string>) => {
        this.#hear(event);
        const change = changeOf(kind, event.data);
        if (change) this.#to.onChange(change, this.#last);
      });
    source.addEventListener("ping", (event: MessageEvent<string>) => {
      const { every, health } = pingOf(event.data);
      this.#every = every ?? this.#every;
      this.#told = health;
      this.#backoff.reset();
      this.#hear(event);
      this.#to.onAlive(this.#last, this.#every, health);
    });
    this.#watch();
  }

  #hear(event: MessageEvent<string>): void {
    if (event.lastEventId !== "") this.#last = event.lastEventId;
    if (this.#told) this.#health = this.#last;
    this.#watch();
  }

  /** Silence is the end of a connection too. */
  #watch(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#again(false), missedBeats * this.#every);
  }

  #again(refused: boolean): void {
    this.#drop();
    this.#to.onLost();
    this.#timer = setTimeout(() => void this.#comeBack(refused), this.#backoff.next());
  }

  /** No connection attempts while the server is away or no user is signed in. */
  async #comeBack(refused = false): Promise<void> {
    await reach.back();
    if (refused && !this.#closed) await presence.suspect();
    if (presence.over() && !this.#closed) this.#to.onOver();
    await regained();
    if (!this.#closed && !this.#source) this.#connect();
  }

  #drop(): void {
    clearTimeout(this.#timer);
    this.#source?.close();
    this.#source = undefined;
  }
}

/** Waits until the page has its person, if their session is over. */
function regained(): Promise<void> {
  if (!presence.over()) return Promise.resolve();
  return new Promise((resolve) => {
    const stop = presence.subscribe(() => {
      if (presence.over()) return;
      stop();
      resolve();
    });
  });
}

function changeOf(kind: Change["kind"], data: string): Change | undefined {
  if (kind === "reset") return { kind };
  const { type, id } = read(data);
  if (typeof id !== "string") return kind === "health" ? { kind } : undefined;
  return kind === "record" ? (typeof type === "string" ? { kind, type, id } : undefined) : { kind, id };
}

function pingOf(data: string): { every: number | undefined; health: boolean } {
  const { every, health } = read(data);
  return { every: typeof every === "number" && every > 0 ? every : undefined, health: health === true };
}

/** Parses an object; an empty one for anything else. */
function read(data: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(data)) as Record<string, unknown>;
  } catch {
    return {};
  }
}
