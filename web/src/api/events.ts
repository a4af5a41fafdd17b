import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { answer, api, once, type Schema } from "./client";

export type EventConsumer = Schema<"ApiEventConsumer">;
export type ParkedEvent = Schema<"ApiDeadLetter">;

export const eventsKey = ["events"] as const;

/** The parts of the product that follow events. */
export const consumersQuery = queryOptions({
  queryKey: [...eventsKey, "consumers"],
  queryFn: async ({ signal }) => (await answer(api.GET("/api/events/consumers", { signal }))).consumers,
  refetchInterval: 30_000,
});

/** Events that were given up. */
export const parkedQuery = infiniteQueryOptions({
  queryKey: [...eventsKey, "parked"],
  queryFn: ({ signal, pageParam: cursor }) =>
    answer(api.GET("/api/events/parked", { params: { query: { cursor, limit: 50 } }, signal })),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: (page) => page.nextCursor,
});

const of = ({ consumer, eventId }: ParkedEvent, key: string) => ({
  path: { consumer, id: eventId },
  header: once(key),
});

export const retryEvent = (parked: ParkedEvent, key: string) =>
  answer(api.POST("/api/events/parked/{consumer}/{id}/retry", { params: of(parked, key) }));

export const skipEvent = (parked: ParkedEvent, key: string) =>
  answer(api.POST("/api/events/parked/{consumer}/{id}/skip", { params: of(parked, key) }));
