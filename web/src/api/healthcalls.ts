import { answer, api, of, once, seen, type Schema } from "./client";
import type {
  AssignmentChoice,
  Check,
  CheckChange,
  CheckDefinition,
  ImportFormat,
  NewCheck,
  SystemChoice,
} from "./health";

// Changes and trials of checks stand apart from the queries, which area.ts brings into the first load.

export const renameLocation = (id: number, name: string, key: string) =>
  answer(api.PATCH("/api/healthcheck/locations/{id}", { params: { path: { id }, header: once(key) }, body: { name } }));

export const removeLocation = (id: number, key: string) =>
  answer(api.DELETE("/api/healthcheck/locations/{id}", { params: { path: { id }, header: once(key) } }));

/** Gives the job of a target another address, which is shown this once. */
export const replaceAddress = (checkId: string, targetId: number, atOnce: boolean, key: string) =>
  answer(
    api.POST("/api/healthcheck/checks/{id}/heartbeats/{target}/rotate-token", {
      params: { path: { id: checkId, target: targetId }, header: once(key) },
      body: { atOnce },
    }),
  );

/** Previews the import of a document, or of a file of another product. It stores nothing. */
export const previewImport = ({
  document,
  format,
  systems,
}: {
  document: string;
  format: ImportFormat | "";
  systems: SystemChoice[];
}) =>
  answer(
    api.POST("/api/healthcheck/import/preview", {
      body: { document, systems, ...(format !== "" && { format }) },
    }),
  );

/** Does what a preview has said, or nothing. */
export const importChecks = (body: { document: string; expected: string; systems: SystemChoice[] }, key: string) =>
  answer(api.POST("/api/healthcheck/import", { params: { header: once(key) }, body }));

/** Where a document of one check is, or of all of them. */
export const exportUrl = (format: "json" | "yaml", checkId?: string) =>
  checkId
    ? `/api/healthcheck/checks/${encodeURIComponent(checkId)}/export?format=${format}`
    : `/api/healthcheck/export?format=${format}`;

export const setHistoryRetention = (
  { revision, ...body }: Schema<"HistoryRetention"> & { revision: number },
  key: string,
) =>
  answer(api.PUT("/api/healthcheck/retention", { params: { header: { ...seen({ revision }), ...once(key) } }, body }));

export const createCheck = (body: NewCheck, key: string) =>
  answer(api.POST("/api/healthcheck/checks", { params: { header: once(key) }, body }));

export const updateCheck = (check: Check, body: CheckChange, key: string) =>
  answer(api.PATCH("/api/healthcheck/checks/{id}", { params: of(check, key), body }));

export const pauseCheck = (check: Check, paused: boolean, key: string) =>
  answer(api.PUT("/api/healthcheck/checks/{id}/paused", { params: of(check, key), body: { paused } }));

export const deleteCheck = (check: Check, key: string) =>
  answer(api.DELETE("/api/healthcheck/checks/{id}", { params: of(check, key) }));

export const assignCheck = (check: Check, systemId: string, body: AssignmentChoice, key: string) =>
  answer(
    api.PUT("/api/healthcheck/checks/{id}/systems/{systemId}", {
      params: { path: { id: check.id, systemId }, header: once(key) },
      body,
    }),
  );

export const unassignCheck = (check: Check, systemId: string, key: string) =>
  answer(
    api.DELETE("/api/healthcheck/checks/{id}/systems/{systemId}", {
      params: { path: { id: check.id, systemId }, header: once(key) },
    }),
  );

export const runNow = (checkId: string, body: Schema<"HealthcheckRunNow">, key: string) =>
  answer(
    api.POST("/api/healthcheck/checks/{id}/run-now", { params: { path: { id: checkId }, header: once(key) }, body }),
  );

/** Validates a check. It stores nothing. */
export const validateCheck = (body: CheckDefinition) => answer(api.POST("/api/healthcheck/validate", { body }));

/** The whole check once, as it stands in the editor. */
export const draftRun = (body: Schema<"HealthcheckDraft">, signal?: AbortSignal) =>
  answer(api.POST("/api/healthcheck/draft-runs", { body, signal }));
