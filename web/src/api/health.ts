import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { serverNow } from "./clock";
import { answer, api, of, once, seen, type Schema } from "./client";

export type HealthStatus = Schema<"HealthcheckBoardRow">["status"];

/** Executable part of a check. */
export type CheckDefinition = Schema<"HealthcheckDefinition">;
export type CheckSchedule = NonNullable<Check["schedule"]>;
export type CheckCollector = Schema<"HealthcheckCollector">;
export type CheckAssertion = Schema<"HealthcheckAssertion">;
export type Check = Schema<"HealthcheckCheck">;
export type NewCheck = Schema<"HealthcheckNewCheck">;
export type CheckChange = Schema<"HealthcheckCheckChange">;

/** Strategies and collectors that checks are built from. */
export type Kinds = Schema<"HealthcheckCatalog">;
export type StrategyKind = Schema<"HealthcheckStrategyKind">;
export type CollectorKind = Schema<"HealthcheckCollectorKind">;

export type Assignment = Schema<"HealthcheckAssignment">;
export type AssignmentChoice = Schema<"HealthcheckAssignmentChoice">;
export type Thresholds = Schema<"HealthThresholds">;

export type CollectorReport = Schema<"HealthcheckCollectorReport">;
export type FailedTry = Schema<"HealthcheckFailedTry">;
export type DraftRun = Schema<"HealthcheckDraftRun">;
export type BoardRow = Schema<"HealthcheckBoardRow">;
export type BoardGroup = Schema<"HealthcheckBoardGroup">;
export type BoardCounts = Schema<"HealthcheckBoardCounts">;
export type BoardPast = Schema<"HealthcheckBoardPast">;
export type SystemHealth = Schema<"HealthcheckSystemStatus">;
export type Downtime = Schema<"HealthcheckDowntime">;
export type HealthTarget = Schema<"HealthcheckTargetStatus">;

/** One run. Its slot is the moment for which it was planned, in milliseconds since 1970. */
export type Run = Schema<"HealthcheckRun">;
export type HealthVerdict = Run["verdict"];

/** The access rules of health checks. */
export const healthRules = {
  read: "healthcheck.healthcheck.read",
  manage: "healthcheck.healthcheck.manage",
  status: "healthcheck.healthcheck.status.read",
  details: "healthcheck.healthcheck.details.read",
  history: "healthcheck.history.manage",
  locations: "healthcheck.location.manage",
} as const;

/** Every query about health starts with this key. */
export const healthKey = ["health"] as const;

/** Poll interval without change events, in milliseconds. */
export const pollInterval = 10_000;

export const kindsQuery = queryOptions({
  queryKey: ["health-kinds"],
  queryFn: ({ signal }) => answer(api.GET("/api/healthcheck/kinds", { signal })),
  staleTime: 300_000,
});

/** A place from which checks run. */
export type Location = Schema<"HealthcheckLocation">;
export type LocationStatus = Schema<"HealthcheckLocationStatus">;
export type FormerLocation = Schema<"HealthcheckFormerLocation">;

export const locationsQuery = queryOptions({
  queryKey: [...healthKey, "locations"],
  queryFn: async ({ signal }) => (await answer(api.GET("/api/healthcheck/locations", { signal }))).locations,
});

export const renameLocation = (id: number, name: string, key: string) =>
  answer(api.PATCH("/api/healthcheck/locations/{id}", { params: { path: { id }, header: once(key) }, body: { name } }));

export const removeLocation = (id: number, key: string) =>
  answer(api.DELETE("/api/healthcheck/locations/{id}", { params: { path: { id }, header: once(key) } }));

const pageSize = 100;

/** A board of so many systems is one answer. */
const boardSize = 1_000;

export interface BoardFilter {
  query?: string;
  tag?: string;
  groupId?: string;
  status?: HealthStatus;
}

export const boardQuery = (filter: BoardFilter) =>
  infiniteQueryOptions({
    queryKey: [...healthKey, "board", filter],
    queryFn: ({ signal, pageParam: cursor }) =>
      answer(api.GET("/api/healthcheck/board", { params: { query: { ...filter, cursor, limit: boardSize } }, signal })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor,
  });

/** How up to 100 systems have been. */
export const boardPast = async (systemIds: readonly string[]) =>
  (await answer(api.GET("/api/healthcheck/board/past", { params: { query: { systemIds: systemIds.join(",") } } })))
    .systems;

export const systemHealthQuery = (id: string) =>
  queryOptions({
    queryKey: [...healthKey, "system", id],
    queryFn: ({ signal }) => answer(api.GET("/api/healthcheck/systems/{id}", { params: { path: { id } }, signal })),
  });

/** Summary of the runs of a system, or of one target, over a period up to now. */
export const periodQuery = ({ systemId, targetId, span, days }: ChartOf) =>
  queryOptions({
    queryKey: [...healthKey, "period", systemId, targetId ?? null, days ?? null, span],
    queryFn: ({ signal }) => {
      const query = windowOf(span, days);
      return answer(
        targetId === undefined
          ? api.GET("/api/healthcheck/systems/{id}/period", { params: { path: { id: systemId }, query }, signal })
          : api.GET("/api/healthcheck/targets/{id}/period", { params: { path: { id: targetId }, query }, signal }),
      );
    },
  });

/** The last days, or a time up to now in milliseconds. */
function windowOf(span: number, days: number | undefined) {
  if (days !== undefined) return { days };
  const to = serverNow();
  return { from: new Date(to - span).toISOString(), to: new Date(to).toISOString() };
}

/** Of what a chart is, over how long: in milliseconds, and in days where it shows whole ones. */
export interface ChartOf {
  systemId: string;
  targetId?: number;
  span: number;
  days?: number;
}

/** The end of a chart is when it was read. */
export const chartQuery = ({ systemId, targetId, span, days }: ChartOf) =>
  queryOptions({
    queryKey: [...healthKey, "chart", systemId, targetId ?? null, days ?? null, span],
    queryFn: async ({ signal }) => {
      const query = { ...windowOf(span, days), points: 500 };
      const { points, transitions, gaps, states, availability, from, to } = await answer(
        targetId === undefined
          ? api.GET("/api/healthcheck/systems/{id}/chart", { params: { path: { id: systemId }, query }, signal })
          : api.GET("/api/healthcheck/targets/{id}/chart", { params: { path: { id: targetId }, query }, signal }),
      );
      return {
        points: points ?? [],
        transitions: transitions ?? [],
        gaps: gaps ?? [],
        states: states ?? [],
        availability,
        from: Date.parse(from),
        to: Date.parse(to),
      };
    },
  });

export const runsQuery = (targetId: number, verdict: HealthVerdict | undefined) =>
  infiniteQueryOptions({
    queryKey: [...healthKey, "runs", targetId, verdict ?? null],
    queryFn: ({ signal, pageParam: cursor }) =>
      answer(
        api.GET("/api/healthcheck/targets/{id}/runs", {
          params: { path: { id: targetId }, query: { verdict, cursor, limit: 25 } },
          signal,
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor,
  });

export const runQuery = (targetId: number, slot: number) =>
  queryOptions({
    queryKey: [...healthKey, "run", targetId, slot],
    queryFn: ({ signal }) =>
      answer(
        api.GET("/api/healthcheck/targets/{id}/runs/{slot}", { params: { path: { id: targetId, slot } }, signal }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const checksQuery = (query: string) =>
  infiniteQueryOptions({
    queryKey: [...healthKey, "checks", query],
    queryFn: ({ signal, pageParam: cursor }) =>
      answer(
        api.GET("/api/healthcheck/checks", {
          params: { query: { query: query || undefined, cursor, limit: pageSize } },
          signal,
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor,
  });

export const checkQuery = (id: string) =>
  queryOptions({
    queryKey: [...healthKey, "check", id],
    queryFn: ({ signal }) => answer(api.GET("/api/healthcheck/checks/{id}", { params: { path: { id } }, signal })),
  });

export const assignmentsQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: [...healthKey, "assignments", id],
    queryFn: ({ signal, pageParam: cursor }) =>
      answer(
        api.GET("/api/healthcheck/checks/{id}/systems", {
          params: { path: { id }, query: { cursor, limit: pageSize } },
          signal,
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor,
  });

/** Where a check does not pass. */
export const failingQuery = (id: string) =>
  queryOptions({
    queryKey: [...healthKey, "failing", id],
    queryFn: ({ signal }) =>
      answer(api.GET("/api/healthcheck/checks/{id}/failing", { params: { path: { id } }, signal })),
  });

export type Calling = Schema<"HealthcheckCalling">;

/** Heartbeat URLs of a check's jobs; needs the right to change the check. */
export const callingsQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: [...healthKey, "heartbeats", id],
    queryFn: ({ signal, pageParam: cursor }) =>
      answer(
        api.GET("/api/healthcheck/checks/{id}/heartbeats", {
          params: { path: { id }, query: { cursor, limit: pageSize } },
          signal,
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor,
  });

/** Gives the job of a target another address, which is shown this once. */
export const replaceAddress = (checkId: string, targetId: number, atOnce: boolean, key: string) =>
  answer(
    api.POST("/api/healthcheck/checks/{id}/heartbeats/{target}/rotate-token", {
      params: { path: { id: checkId, target: targetId }, header: once(key) },
      body: { atOnce },
    }),
  );

export type ImportReport = Schema<"HealthcheckImportReport">;
export type ImportedCheck = Schema<"HealthcheckImportedCheck">;

export type ImportPreview = Schema<"HealthcheckImportPreview">;
export type ImportFormat = ImportPreview["format"];
export type SystemChoice = Schema<"HealthcheckSystemChoice">;

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

export type HistoryRetention = Schema<"HealthcheckRetention">;

export const historyRetentionQuery = queryOptions({
  queryKey: ["health-retention"],
  queryFn: ({ signal }) => answer(api.GET("/api/healthcheck/retention", { signal })),
});

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
