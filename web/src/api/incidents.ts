import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { answer, api, type Schema } from "./client";
import type { operations } from "./schema";

export type Incident = Schema<"IncidentIncident">;
export type ListedIncident = Schema<"IncidentListed">;
export type TimelineEntry = Schema<"IncidentEntry">;
export type IncidentUpdate = Schema<"NoteNote">;
export type IncidentLink = Schema<"NoteLink">;
export type IncidentStatus = Incident["status"];
export type Severity = Incident["severity"];
export type HealthOverride = Incident["healthOverride"];
export type Visibility = IncidentUpdate["visibility"];
export type BulkResult = Schema<"IncidentResult">;
export type NewIncident = Schema<"IncidentNewIncident">;
export type NewUpdate = Schema<"IncidentNewUpdate">;
export type Closing = Schema<"IncidentClosing">;

export const incidentRules = { read: "incident.incident.read", manage: "incident.incident.manage" } as const;

/** Filter of a list of incidents; undefined members do not restrict it. */
export type IncidentFilter = Pick<
  NonNullable<operations["list-incidents"]["parameters"]["query"]>,
  "query" | "state" | "severity" | "status" | "systemId"
>;

/** Every query of incidents starts with this key. */
export const incidentsKey = ["incidents"] as const;

export const incidentsQuery = (filter: IncidentFilter) =>
  infiniteQueryOptions({
    queryKey: [...incidentsKey, "list", filter],
    queryFn: ({ signal, pageParam: cursor }) =>
      answer(api.GET("/api/incidents", { params: { query: { limit: 50, ...filter, cursor } }, signal })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor,
  });

export const incidentQuery = (id: string) =>
  queryOptions({
    queryKey: [...incidentsKey, "one", id],
    queryFn: ({ signal }) => answer(api.GET("/api/incidents/{id}", { params: { path: { id } }, signal })),
  });

export const timelineQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: [...incidentsKey, "timeline", id],
    queryFn: ({ signal, pageParam: cursor }) =>
      answer(
        api.GET("/api/incidents/{id}/timeline", { params: { path: { id }, query: { limit: 50, cursor } }, signal }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor,
  });

/** Open incidents that a text fits, for a choice of one. */
export const incidentSearchQuery = (text: string) =>
  queryOptions({
    queryKey: [...incidentsKey, "search", text],
    queryFn: async ({ signal }) => {
      const query = { query: text || undefined, state: "open" as const, limit: 20 };
      return (await answer(api.GET("/api/incidents", { params: { query }, signal }))).incidents;
    },
  });
