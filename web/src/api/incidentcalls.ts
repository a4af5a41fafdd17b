import { answer, api, of, once, type Schema } from "./client";
import type { Closing, Incident, IncidentUpdate, ListedIncident, NewIncident, NewUpdate } from "./incidents";

// Changes of incidents stand apart from the queries, which area.ts brings into the first load.

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
