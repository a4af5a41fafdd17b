import { infiniteQueryOptions } from "@tanstack/react-query";
import { answer, api, of, once, type Schema } from "./client";
import type { operations } from "./schema";

export { shareableSystemsQuery } from "./catalog";
export type Memory = Schema<"MemoryMemory">;
export type MemoryScope = Memory["scope"];
export type NewMemory = Omit<Schema<"MemorySaveBody">, "ifSimilar">;
export type MemoryFilter = Pick<
  NonNullable<operations["list-memories"]["parameters"]["query"]>,
  "query" | "scope" | "systemId"
>;

/** Every query of memories starts with this key. */
export const memoriesKey = ["memories"] as const;

export const memoriesQuery = (filter: MemoryFilter) =>
  infiniteQueryOptions({
    queryKey: [...memoriesKey, filter],
    queryFn: ({ signal, pageParam: cursor }) =>
      answer(
        api.GET("/api/ai/memories", {
          params: { query: { ...filter, query: filter.query || undefined, cursor } },
          signal,
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor,
  });

/** Saves a memory. One of the reader's that it resembles is a conflict, or is replaced by it. */
export const createMemory = ({ memory, replace = false }: { memory: NewMemory; replace?: boolean }, key: string) =>
  answer(
    api.POST("/api/ai/memories", {
      params: { header: once(key) },
      body: { ...memory, ifSimilar: replace ? "update" : "refuse" },
    }),
  );

/** The memory that a save would replace, null when there is none. */
export const similarMemory = async ({ scope, systemId, recallHint }: NewMemory): Promise<Memory | null> => {
  const params = { query: { scope, systemId: systemId || undefined, recallHint } };
  return (await answer(api.GET("/api/ai/memories/similar", { params }))).memory ?? null;
};

export const updateMemory = (memory: Memory, body: Schema<"MemoryChange">, key: string) =>
  answer(api.PATCH("/api/ai/memories/{id}", { params: of(memory, key), body }));

export const setAlwaysInject = (memory: Memory, alwaysInject: boolean, key: string) =>
  answer(api.PUT("/api/ai/memories/{id}/always-inject", { params: of(memory, key), body: { alwaysInject } }));

export const deleteMemory = (memory: Memory, key: string) =>
  answer(api.DELETE("/api/ai/memories/{id}", { params: of(memory, key) }));
