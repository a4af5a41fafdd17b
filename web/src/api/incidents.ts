import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { answer, api, of, once, type Schema } from "./client";
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

export const createIncident = (body: NewIncident, key: string) =>
  answer(api.POST("/api/incidents", { params: { header: once(key) }, body }));

export const updateIncident = (incident: Incident, body: Schema<"IncidentChange">, key: string) =>
  answer(api.PATCH("/api/incidents/{id}", { params: of(incident, key), body }));

export const deleteIncident = (incident: ListedIncident, key: string) =>
  answer(api.DELETE("/api/incidents/{id}", { params: of(incident, key) }));

/** Takes the incident on. No revision is named: a change of another field is no reason to refuse it. */
export const acknowledgeIncident = (id: string, key: string) =>
  answer(api.POST("/api/incidents/{id}/acknowledge", { params: { path: { id }, header: once(key) } }));

export const resolveIncident = (id: string, body: Closing, key: string) =>
  answer(api.POST("/api/incidents/{id}/resolve", { params: { path: { id }, header: once(key) }, body }));

export const reopenIncident = (id: string, key: string) =>
  answer(api.POST("/api/incidents/{id}/reopen", { params: { path: { id }, header: once(key) }, body: {} }));

export const mergeIncident = (id: string, into: string, key: string) =>
  answer(api.POST("/api/incidents/{id}/merge", { params: { path: { id }, header: once(key) }, body: { into } }));

export const addUpdate = (id: string, body: NewUpdate, key: string) =>
  answer(api.POST("/api/incidents/{id}/updates", { params: { path: { id }, header: once(key) }, body }));

export const editUpdate = (id: string, update: IncidentUpdate, body: Schema<"IncidentUpdateChange">, key: string) =>
  answer(
    api.PATCH("/api/incidents/{id}/updates/{updateId}", {
      params: { path: { id, updateId: update.id }, header: once(key) },
      body,
    }),
  );

export const deleteUpdate = (id: string, updateId: string, key: string) =>
  answer(
    api.DELETE("/api/incidents/{id}/updates/{updateId}", { params: { path: { id, updateId }, header: once(key) } }),
  );

export const addIncidentLink = (id: string, body: Schema<"NoteNewLink">, key: string) =>
  answer(api.POST("/api/incidents/{id}/links", { params: { path: { id }, header: once(key) }, body }));

export const removeIncidentLink = (id: string, linkId: string, key: string) =>
  answer(api.DELETE("/api/incidents/{id}/links/{linkId}", { params: { path: { id, linkId }, header: once(key) } }));

/** Resolves or deletes several, each by itself. */
export const changeIncidents = async (kind: "resolve" | "delete", ids: string[], key: string) => {
  const call = { params: { header: once(key) }, body: { ids } };
  const { results } = await answer(
    kind === "resolve" ? api.POST("/api/incidents/bulk-resolve", call) : api.POST("/api/incidents/bulk-delete", call),
  );
  return results;
};
