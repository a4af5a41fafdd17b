import { queryOptions, useQuery } from "@tanstack/react-query";
import { boardPast, healthKey, type BoardPast } from "../../api/health";

/** Rows that appear together are read together. */
const gather = 20;
/** The most that the server answers at once. */
const most = 100;
/** A new run changes little of 90 days. */
const fresh = 60_000;

interface Waiting {
  resolve: (past: BoardPast | null) => void;
  reject: (error: unknown) => void;
}

let waiting = new Map<string, Waiting[]>();

function read(): void {
  const all = [...waiting];
  waiting = new Map();
  for (let at = 0; at < all.length; at += most) {
    const some = all.slice(at, at + most);
    boardPast(some.map(([id]) => id)).then(
      (rows) => {
        const found = new Map(rows.map((row) => [row.systemId, row]));
        for (const [id, list] of some) for (const { resolve } of list) resolve(found.get(id) ?? null);
      },
      (error: unknown) => {
        for (const [, list] of some) for (const { reject } of list) reject(error);
      },
    );
  }
}

/** Null for a system that the reader may no longer see. */
const pastQuery = (systemId: string) =>
  queryOptions({
    queryKey: [...healthKey, "past", systemId],
    queryFn: () =>
      new Promise<BoardPast | null>((resolve, reject) => {
        if (waiting.size === 0) window.setTimeout(read, gather);
        waiting.set(systemId, [...(waiting.get(systemId) ?? []), { resolve, reject }]);
      }),
    staleTime: fresh,
    refetchInterval: fresh,
  });

/** How a system on the visible part of the board has been; undefined until it is known. */
export const usePast = (systemId: string) => useQuery(pastQuery(systemId)).data ?? undefined;
