import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useEffect, useSyncExternalStore } from "react";
import { healthKey, liveUrl, pollInterval } from "../api/health";

/** How often pages read again what they show while they hear what changes: runs that change no status are not told of. */
const heardInterval = 60_000;

/** How long the stream stays open when no page listens any more, and how long it waits when it was refused. */
const linger = 5_000;
const refusedPause = 60_000;

/** Changes that come together are read together. */
const gather = 150;

export interface Changes {
  all: boolean;
  systems: Set<string>;
}

/** The one stream of this tab. It is closed while the tab is hidden: a browser has few connections to a server. */
class LiveStream {
  private source: EventSource | null = null;
  private readonly listeners = new Set<() => void>();
  private readonly readers = new Map<QueryClient, number>();
  private pending: Changes = { all: false, systems: new Set() };
  private gathering: number | undefined;
  private closing: number | undefined;
  private retrying: number | undefined;
  private open = false;

  /** Whether it is said what changes. */
  readonly isOpen = () => this.open;

  readonly subscribe = (listener: () => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Lets a client hear what changes, until the function that it returns is called. */
  join(client: QueryClient): () => void {
    window.clearTimeout(this.closing);
    if (this.readers.size === 0) document.addEventListener("visibilitychange", this.follow);
    this.readers.set(client, (this.readers.get(client) ?? 0) + 1);
    this.follow();
    return () => {
      const left = (this.readers.get(client) ?? 1) - 1;
      if (left > 0) this.readers.set(client, left);
      else this.readers.delete(client);
      if (this.readers.size > 0) return;
      document.removeEventListener("visibilitychange", this.follow);
      this.closing = window.setTimeout(this.close, linger);
    };
  }

  private readonly follow = () => {
    if (document.hidden) this.close();
    else if (!this.source && this.readers.size > 0 && typeof EventSource !== "undefined") this.connect();
  };

  private connect() {
    window.clearTimeout(this.retrying);
    const source = new EventSource(liveUrl);
    this.source = source;
    source.addEventListener("open", () => this.set(true));
    source.addEventListener("error", () => {
      this.set(false);
      // The browser comes back by itself unless it was refused.
      if (source.readyState !== EventSource.CLOSED) return;
      this.close();
      this.retrying = window.setTimeout(this.follow, refusedPause);
    });
    source.addEventListener("all", () => this.tell((changes) => (changes.all = true)));
    source.addEventListener("changed", ({ data }: MessageEvent<string>) => {
      const system = systemOf(data);
      if (system) this.tell(({ systems }) => systems.add(system));
    });
  }

  private tell(add: (changes: Changes) => void) {
    add(this.pending);
    this.gathering ??= window.setTimeout(() => {
      const changes = this.pending;
      this.pending = { all: false, systems: new Set() };
      this.gathering = undefined;
      for (const client of this.readers.keys()) readAgain(client, changes);
    }, gather);
  }

  private readonly close = () => {
    window.clearTimeout(this.retrying);
    this.source?.close();
    this.source = null;
    this.set(false);
  };

  private set(open: boolean) {
    if (this.open === open) return;
    this.open = open;
    for (const listener of this.listeners) listener();
  }
}

function systemOf(data: string): string | undefined {
  try {
    const { systemId } = JSON.parse(data) as { systemId?: unknown };
    return typeof systemId === "string" ? systemId : undefined;
  } catch {
    return undefined;
  }
}

const stream = new LiveStream();

/** Queries about one system, and those about several. What is not named does not change with the status of a system. */
const ofOne = new Set<unknown>(["system", "chart", "period"]);
const ofSeveral = new Set<unknown>(["board", "checks", "assignments", "runs"]);

export function readAgain(client: QueryClient, { all, systems }: Changes): void {
  void client.invalidateQueries({
    predicate: ({ queryKey: [area, kind, id], state }) => {
      if (area !== healthKey[0]) return false;
      if (ofOne.has(kind)) return all || systems.has(String(id));
      // Pages that somebody has asked for stay as they are.
      const pages = (state.data as { pages?: unknown[] } | undefined)?.pages?.length ?? 0;
      return ofSeveral.has(kind) && pages < 2;
    },
  });
}

/** Reads what is shown again as soon as it changes. It returns how often it is to be read besides. For who
 * may not see how systems fare, nothing is heard. */
export function useLive(enabled = true): number {
  const client = useQueryClient();
  useEffect(() => (enabled ? stream.join(client) : undefined), [client, enabled]);
  const open = useSyncExternalStore(stream.subscribe, stream.isOpen);
  return open ? heardInterval : pollInterval;
}
