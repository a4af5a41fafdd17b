import { serverNow } from "../api/clock";
import { presence } from "../api/presence";
import { Connection, type Change } from "./connection";

/** What tabs of one person tell each other. */
type Message =
  | { is: "hello" }
  | { is: "change"; change: Change; last: string }
  | { is: "state"; open: boolean; last: string; every: number; recent: Change[]; over?: boolean };

/** For how long changes are repeated to a tab that has just come: what it shows may have been read before them. */
const recentMilliseconds = 10_000;

/** How many heartbeats a tab waits for the one that has the connection, before it takes its place: that one may stand still. */
const patience = 4;
const standardBeat = 15_000;

/**
 * What changes, for all tabs of a person in a browser, which have one connection together: the tab that holds a lock has it, and
 * tells the others. When it is closed, the next one goes on after the last event. Where a browser lacks locks or channels
 * between tabs, each tab has a connection of its own.
 */
export class SharedChanges {
  readonly #person: string;
  readonly #name: string;
  readonly #onChange: (change: Change) => void;
  readonly #onOpen: (open: boolean) => void;

  #channel: BroadcastChannel | undefined;
  #attempt: AbortController | undefined;
  #connection: Connection | undefined;
  #release: (() => void) | undefined;
  #watch: ReturnType<typeof setTimeout> | undefined;
  #open = false;
  #closed = false;
  #last = String(Math.round(serverNow()));
  #every = standardBeat;
  #recent: { change: Change; at: number }[] = [];

  constructor(person: string, onChange: (change: Change) => void, onOpen: (open: boolean) => void) {
    this.#person = person;
    this.#name = `countersign-changes-${person}`;
    this.#onChange = onChange;
    this.#onOpen = onOpen;
    const alone = typeof BroadcastChannel === "undefined" || !("locks" in navigator);
    if (alone) {
      this.#lead();
      return;
    }
    this.#channel = new BroadcastChannel(this.#name);
    this.#channel.addEventListener("message", ({ data }: MessageEvent<Message>) => this.#hear(data));
    this.#tell({ is: "hello" });
    this.#expect();
    void this.#queue();
  }

  close(): void {
    this.#closed = true;
    this.#attempt?.abort();
    clearTimeout(this.#watch);
    this.#follow();
    this.#channel?.close();
    this.#release?.();
  }

  /** Waits for the lock, or takes it from a tab that says nothing any more. */
  async #queue(steal = false): Promise<void> {
    const attempt = new AbortController();
    this.#attempt?.abort();
    this.#attempt = attempt;
    try {
      await navigator.locks.request(this.#name, steal ? { steal } : { signal: attempt.signal }, () => this.#hold());
    } catch {
      // Another attempt has taken the place of this one, or another tab has taken the lock.
      if (this.#closed || this.#attempt !== attempt) return;
      this.#follow();
      this.#expect();
      void this.#queue();
    }
  }

  #hold(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#closed) return resolve();
      this.#release = resolve;
      this.#lead();
    });
  }

  /** From now on, the connection is here. */
  #lead(): void {
    clearTimeout(this.#watch);
    if (this.#connection) return;
    this.#connection = new Connection(this.#person, this.#last, {
      onChange: (change, last) => {
        this.#last = last;
        const now = Date.now();
        this.#recent = [...this.#recent.filter(({ at }) => now - at < recentMilliseconds), { change, at: now }].slice(
          -100,
        );
        this.#tell({ is: "change", change, last });
        this.#onChange(change);
      },
      onAlive: (last, every) => {
        this.#last = last;
        this.#every = every;
        this.#set(true);
        this.#tellState();
      },
      onLost: () => {
        this.#set(false);
        this.#tellState();
      },
      onOver: () => this.#tellState(),
    });
  }

  #follow(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }

  #hear(message: Message): void {
    if (message.is === "hello") {
      if (this.#connection) this.#tellState();
      return;
    }
    if (this.#connection) return;
    this.#last = message.last;
    if (message.is === "state") this.#every = message.every;
    this.#expect();
    if (message.is === "change") {
      this.#onChange(message.change);
      return;
    }
    // What a tab hears twice, it reads twice; only one that has just come is told what was said before.
    if (!this.#open && message.open) for (const change of message.recent) this.#onChange(change);
    this.#set(message.open);
    if (message.over) void presence.suspect();
  }

  /** The tab with the connection speaks with each heartbeat. */
  #expect(): void {
    clearTimeout(this.#watch);
    this.#watch = setTimeout(() => {
      this.#set(false);
      void this.#queue(true);
    }, patience * this.#every);
  }

  #tell(message: Message): void {
    this.#channel?.postMessage(message);
  }

  #tellState(): void {
    const now = Date.now();
    const recent = this.#recent.filter(({ at }) => now - at < recentMilliseconds).map(({ change }) => change);
    this.#tell({ is: "state", open: this.#open, last: this.#last, every: this.#every, recent, over: presence.over() });
  }

  #set(open: boolean): void {
    if (this.#open === open) return;
    this.#open = open;
    this.#onOpen(open);
  }
}
