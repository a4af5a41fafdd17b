import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { catalogKey, type System } from "./catalog";
import { request } from "./client";

export type MemoryScope = "user" | "system";

export interface Memory {
  id: string;
  ownerId: string;
  ownerName: string;
  scope: MemoryScope;
  systemId?: string;
  systemName?: string;
  recallHint: string;
  content: string;
  tags: string[];
  alwaysInject: boolean;
  sourceConversationId?: string;
  /** Who else than the owner changed the text last. */
  editorName?: string;
  own: boolean;
  mayChange: boolean;
  revision: number;
  createdAt: string;
  updatedAt: string;
}

export interface MemoryFields {
  recallHint: string;
  content: string;
  tags: string[];
}

export interface NewMemory extends MemoryFields {
  scope: MemoryScope;
  systemId?: string;
  alwaysInject: boolean;
}

export interface MemoryFilter {
  query?: string;
  scope?: MemoryScope;
  systemId?: string;
}

interface MemoriesPage {
  memories: Memory[];
  nextCursor?: string;
}

/** Every query of memories starts with this key. */
export const memoriesKey = ["memories"] as const;

/** The most that the server lists at once. */
const wholeList = 500;

export const memoriesQuery = (filter: MemoryFilter) =>
  infiniteQueryOptions({
    queryKey: [...memoriesKey, filter],
    queryFn: ({ signal, pageParam }) => {
      const search = new URLSearchParams();
      for (const [name, value] of Object.entries(filter)) if (value) search.set(name, value);
      if (pageParam) search.set("cursor", pageParam);
      return request<MemoriesPage>("GET", `/api/ai/memories?${search}`, { signal });
    },
    initialPageParam: "",
    getNextPageParam: (page) => page.nextCursor,
  });

/** Systems on which the reader may share memories. */
export const shareableSystemsQuery = queryOptions({
  queryKey: [...catalogKey, "shareable-systems"],
  queryFn: async ({ signal }) => {
    const page = await request<{ systems: System[] }>("GET", `/api/catalog/systems?limit=${wholeList}`, { signal });
    return page.systems.filter((system) => system.access !== "viewer").map(({ id, name }) => ({ id, name }));
  },
});

/** Saves a memory. One of the reader's that it resembles is a conflict, or is replaced by it. */
export const createMemory = (
  { memory, replace = false }: { memory: NewMemory; replace?: boolean },
  idempotencyKey: string,
) =>
  request<Memory>("POST", "/api/ai/memories", {
    body: { ...memory, ifSimilar: replace ? "update" : "refuse" },
    idempotencyKey,
  });

/** The memory that a save would replace, null when there is none. */
export const similarMemory = async ({ scope, systemId, recallHint }: NewMemory): Promise<Memory | null> => {
  const search = new URLSearchParams({ scope, recallHint });
  if (systemId) search.set("systemId", systemId);
  return (await request<{ memory?: Memory }>("GET", `/api/ai/memories/similar?${search}`)).memory ?? null;
};

export const updateMemory = (memory: Memory, fields: Partial<MemoryFields>, idempotencyKey: string) =>
  request<Memory>("PATCH", `/api/ai/memories/${memory.id}`, {
    body: fields,
    revision: memory.revision,
    idempotencyKey,
  });

export const setAlwaysInject = (memory: Memory, alwaysInject: boolean, idempotencyKey: string) =>
  request<Memory>("PUT", `/api/ai/memories/${memory.id}/always-inject`, {
    body: { alwaysInject },
    revision: memory.revision,
    idempotencyKey,
  });

export const deleteMemory = (memory: Memory, idempotencyKey: string) =>
  request<void>("DELETE", `/api/ai/memories/${memory.id}`, { revision: memory.revision, idempotencyKey });
