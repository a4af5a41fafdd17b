import { serverNow } from "../api/clock";
import { presence } from "../api/presence";
import { Connection, type Change, type Listener } from "./connection";

/**
 * Messages between tabs of one person. A tab that subscribes to health events says so in a hello: the previous version
 * takes it for a tab that has opened. Its state says nothing of health.
 */
type Message =
  | { is: "hello"; asks?: boolean }
  | { is: "change"; change: Change; last: string }
  | { is: "state"; open: boolean; health?: boolean; last: string; every: number; recent: Change[]; over?: boolean };

/** How long changes are repeated to a new tab, whose data may be older. */
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
  readonly #onOpen: (open: boolean, health: boolean) => void;

  #channel: BroadcastChannel | undefined;
  #attempt: AbortController | undefined;
  #connection: Connection | undefined;
  #release: (() => void) | undefined;
  #watch: ReturnType<typeof setTimeout> | undefined;
  #open = false;
  /** Whether health events are received, and whether this tab subscribes to them. */
  #health = false;
  #asks = false;
  /**
   * When this tab renews its subscription, and until when other tabs are subscribed, as the tab with the connection
   * knows.
   */
  #asking: ReturnType<typeof setTimeout> | undefined;
  #asked: ReturnType<typeof setTimeout> | undefined;
  #closed = false;
  #last = String(Math.round(serverNow()));
  #every = standardBeat;
  #recent: { change: Change; at: number }[] = [];

  constructor(person: string, onChange: (change: Change) => void, onOpen: (open: boolean, health: boolean) => void) {
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

  /** Subscribes to health events or unsubscribes. The connection delivers them while a tab is subscribed. */
  askHealth(asks: boolean): void {
    if (asks === this.#asks) return;
    this.#asks = asks;
    this.#ask();
  }

  /** Renewed with each heartbeat, because a closed or suspended tab cannot unsubscribe. */
  #ask(): void {
    clearTimeout(this.#asking);
    if (!this.#asks) return;
    if (this.#connection) this.#heed();
    else this.#tell({ is: "hello", asks: true });
    this.#asking = setTimeout(() => this.#ask(), this.#every);
  }

  /** Some tab has asked. */
  #heed(): void {
    clearTimeout(this.#asked);
    this.#connection?.askHealth(true);
    this.#asked = setTimeout(() => this.#connection?.askHealth(false), patience * this.#every);
  }

  close(): void {
    this.#closed = true;
    this.#attempt?.abort();
    clearTimeout(this.#watch);
    clearTimeout(this.#asking);
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
    const to: Listener = {
      onChange: (change, last) => {
        this.#last = last;
        this.#remember(change);
        this.#tell({ is: "change", change, last });
        this.#onChange(change);
      },
      onAlive: (last, every, health) => {
        this.#last = last;
        this.#every = every;
        this.#set(true, health);
        this.#tellState();
      },
      onLost: () => {
        this.#set(false);
        this.#tellState();
      },
      onOver: () => this.#tellState(),
    };
    // Where the previous tab received health events, other tabs are still subscribed.
    const health = this.#health ? this.#last : undefined;
    this.#connection = new Connection(this.#person, this.#last, to, health ?? (this.#asks ? "0" : undefined));
    if (health !== undefined) this.#heed();
    this.#ask();
  }

  /** Of health it is remembered that some has changed: much of it must not take the place of the rest. */
  #remember(change: Change): void {
    const now = Date.now();
    const health = change.kind === "health";
    const still = this.#recent.filter(
      (old) => now - old.at < recentMilliseconds && !(health && old.change.kind === "health"),
    );
    this.#recent = [...still, { change: health ? { kind: "health" as const } : change, at: now }].slice(-100);
  }

  #follow(): void {
    clearTimeout(this.#asked);
    this.#connection?.close();
    this.#connection = undefined;
  }

  #hear(message: Message): void {
    if (message.is === "hello") {
      if (!this.#connection) return;
      if (message.asks) this.#heed();
      else this.#tellState();
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
    // A duplicate event causes a second read; recent events go only to a tab that has just opened.
    if (!this.#open && message.open) for (const change of message.recent) this.#onChange(change);
    this.#set(message.open, message.health);
    // It may not have been there yet when this one asked.
    if (this.#asks && message.health === false) this.#ask();
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
    this.#tell({
      is: "state",
      open: this.#open,
      health: this.#health,
      last: this.#last,
      every: this.#every,
      recent,
      over: presence.over(),
    });
  }

  #set(open: boolean, health = false): void {
    if (this.#open === open && this.#health === health) return;
    this.#open = open;
    this.#health = health;
    this.#onOpen(open, health);
  }
}
