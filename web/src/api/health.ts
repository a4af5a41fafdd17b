import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { serverNow } from "./clock";
import { answer, api, type Schema } from "./client";

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

export type ImportReport = Schema<"HealthcheckImportReport">;
export type ImportedCheck = Schema<"HealthcheckImportedCheck">;

export type ImportPreview = Schema<"HealthcheckImportPreview">;
export type ImportFormat = ImportPreview["format"];
export type SystemChoice = Schema<"HealthcheckSystemChoice">;

export type HistoryRetention = Schema<"HealthcheckRetention">;

export const historyRetentionQuery = queryOptions({
  queryKey: ["health-retention"],
  queryFn: ({ signal }) => answer(api.GET("/api/healthcheck/retention", { signal })),
});
