import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useEffect, useSyncExternalStore } from "react";
import { isAboutDeleted } from "../api/deletion";
import { healthKey, pollInterval } from "../api/health";
import { healthNews } from "../changes/health";

/** Poll interval while receiving change events, which do not cover runs without a status change. */
const heardInterval = 60_000;

/** How long it is listened on when no page does any more. */
const linger = 5_000;

/** Changes that come together are read together, and those that keep coming once in a second. */
const gather = 150;
const spacing = 1_000;

export interface Changes {
  all: boolean;
  systems: Set<string>;
}

/** Health events of this tab, from the change stream that tabs share. A hidden tab does not subscribe. */
class Live {
  private readonly readers = new Map<QueryClient, number>();
  private pending: Changes = { all: false, systems: new Set() };
  private gathering: number | undefined;
  private closing: number | undefined;
  private lastRead = 0;
  private leave: (() => void) | undefined;

  /** Subscribes a client to changes until the returned function is called. */
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
      this.closing = window.setTimeout(this.end, linger);
    };
  }

  private readonly follow = () => {
    if (document.hidden) this.end();
    else if (!this.leave && this.readers.size > 0) this.begin();
  };

  private begin() {
    // If another tab is already subscribed, changes from before this one listened are unknown.
    if (healthNews.isTold()) this.tell(undefined);
    this.leave = healthNews.hear(this.tell);
  }

  private readonly end = () => {
    this.leave?.();
    this.leave = undefined;
  };

  private readonly tell = (system: string | undefined) => {
    if (system === undefined) this.pending.all = true;
    else this.pending.systems.add(system);
    this.gathering ??= window.setTimeout(
      () => {
        const changes = this.pending;
        this.pending = { all: false, systems: new Set() };
        this.gathering = undefined;
        this.lastRead = Date.now();
        for (const client of this.readers.keys()) readAgain(client, changes);
      },
      Math.min(spacing, Math.max(gather, this.lastRead + spacing - Date.now())),
    );
  };
}

const live = new Live();

/** Queries about one system, and those about several. Other queries do not change with the status of a system. */
const ofOne = new Set<unknown>(["system", "chart", "period", "past"]);
const ofSeveral = new Set<unknown>(["board", "checks", "assignments", "failing", "runs"]);

/** A board of so many pages is only read again at its interval. */
const manyBoardPages = 4;

export function readAgain(client: QueryClient, { all, systems }: Changes): void {
  const deleted = isAboutDeleted(client);
  void client.invalidateQueries({
    predicate: (query) => {
      const [area, kind, id] = query.queryKey;
      if (area !== healthKey[0] || deleted(query)) return false;
      if (ofOne.has(kind)) return all || systems.has(String(id));
      // Further loaded pages stay as they are. Those of a board are its order, and are few.
      const pages = (query.state.data as { pages?: unknown[] } | undefined)?.pages?.length ?? 0;
      return ofSeveral.has(kind) && pages < (kind === "board" ? manyBoardPages : 2);
    },
  });
}

/**
 * Reads visible data again as soon as it changes, and returns the poll interval besides. It does not listen for readers
 * without access to health.
 */
export function useLive(enabled = true): number {
  const client = useQueryClient();
  useEffect(() => (enabled ? live.join(client) : undefined), [client, enabled]);
  const told = useSyncExternalStore(healthNews.subscribe, healthNews.isTold);
  return told ? heardInterval : pollInterval;
}
