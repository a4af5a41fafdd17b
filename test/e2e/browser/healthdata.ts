import type { Page } from "playwright-core";

/** Much data of health checks, as the API gives it, for pages that have to be looked at with much. */

const minute = 60_000;
const day = 24 * 60 * minute;
const statuses = ["unhealthy", "degraded", "unknown", "healthy"] as const;

/** A number between 0 and 1 that is the same each time. */
function chance(seed: number): number {
  const value = Math.sin(seed * 12.9898) * 43_758.5453;
  return value - Math.floor(value);
}

export const systemId = "5ce1b7f0-0000-4000-8000-000000000001";

export function board(count: number, now: number) {
  return Array.from({ length: count }, (_, at) => {
    const status = at < 2 ? statuses[0] : at < 4 ? statuses[1] : at < 6 ? statuses[2] : statuses[3];
    return {
      systemId: systemId.replace(/.{6}$/, String(at).padStart(6, "0")),
      systemName: `${["Checkout", "Search", "Ledger", "Mail", "Archive"][at % 5]} ${at + 1}`,
      status,
      since: new Date(now - (at + 1) * 17 * minute).toISOString(),
      reason:
        status === "unhealthy"
          ? "Homepage in production: Could not connect to shop.example.com:443: the connection was refused."
          : status === "degraded"
            ? "API answers: responseTimeMs is less than 500 failed, it was 812."
            : "",
      checks: status === "unknown" ? 0 : 1 + (at % 4),
      tags: [["eu", "us"][at % 2] as string],
      groupIds: [groups[at % 3]?.id],
    };
  });
}

const groups = ["Payments", "Shop", "Warehouse"].map((name, at) => ({
  id: systemId.replace(/.{6}$/, `9000${at}0`),
  name,
}));

/** How a system of the board has been. */
function past(id: string, now: number) {
  const at = Number(id.slice(-6));
  const measures = at < 4 || at > 5;
  return {
    systemId: id,
    days: Array.from({ length: 90 }, (_, index) => {
      const seed = at * 100 + index;
      const measured = measures && index > at % 40;
      const bad = chance(seed) > 0.93;
      return {
        day: new Date(now - (89 - index) * day).toISOString().slice(0, 10),
        availability: measured ? (bad ? 0.8 + chance(seed + 1) * 0.19 : 1) : undefined,
        measuredMs: measured ? day : 0,
        downMs: measured && bad ? 0.1 * day : 0,
        worst: measured ? (bad ? (chance(seed + 2) > 0.5 ? "unhealthy" : "degraded") : "healthy") : "unknown",
      };
    }),
    latency: Array.from({ length: 24 }, (_, index) =>
      !measures || chance(at + index) > 0.95 ? null : 20 + 60 * chance(at * 24 + index),
    ),
  };
}

export function chart(points: number, from: number, to: number) {
  const step = (to - from) / points;
  const at = (share: number) => new Date(from + share * (to - from)).toISOString();
  return {
    from: at(0),
    to: at(1),
    points: Array.from({ length: points }, (_, index) => {
      const share = index / points;
      const gap = share > 0.3 && share < 0.34;
      const trouble = share > 0.62 && share < 0.7;
      const base = 40 + 15 * Math.sin(share * 20) + (trouble ? 120 : 0);
      return {
        at: new Date(from + index * step).toISOString(),
        runs: gap ? 0 : 5,
        errored: 0,
        skipped: 0,
        failed: gap ? 0 : trouble ? 4 : chance(index) > 0.995 ? 1 : 0,
        missed: gap ? 5 : 0,
        ...(!gap && {
          avgMs: base,
          p50Ms: base + 8 * chance(index),
          p95Ms: base * 1.8 + 60 * chance(index + 0.5),
          maxMs: base * 3,
        }),
      };
    }),
    transitions: [
      { targetId: 1, at: at(0.62), before: "healthy", after: "unhealthy", reason: "Homepage: 5 runs in a row failed." },
      { targetId: 1, at: at(0.7), before: "unhealthy", after: "healthy", reason: "" },
    ],
    gaps: [{ targetId: 1, from: at(0.3), to: at(0.34) }],
    states: [
      { from: at(0.3), to: at(0.34), status: "unknown", gap: "takeover" },
      { from: at(0.62), to: at(0.7), status: "unhealthy" },
    ],
    availability: 0.9167,
  };
}

export function system(now: number) {
  const target = (at: number, fields: object) => ({
    id: at,
    checkId: "c4ec0000-0000-4000-8000-00000000000" + at,
    intervalSeconds: 60,
    lastRun: new Date(now - 20_000).toISOString(),
    paused: false,
    availability24h: 0.9987,
    p50: 42.1,
    p95: 130.4,
    ...fields,
  });
  return {
    systemId,
    systemName: "Checkout",
    status: "unhealthy",
    since: new Date(now - 17 * minute).toISOString(),
    reason: "Homepage in production is unhealthy.",
    why: "Homepage in production is unhealthy since 17 minutes: the connection to shop.example.com:443 was refused 6 times in a row.",
    targets: [
      target(1, {
        checkName: "Homepage",
        environment: { id: "e1", name: "production" },
        status: "unhealthy",
        reason: "Could not connect to shop.example.com:443: the connection was refused.",
      }),
      target(2, {
        checkName: "Homepage",
        environment: { id: "e2", name: "staging" },
        status: "healthy",
        availability24h: 1,
      }),
      target(3, {
        checkName: "Certificate",
        status: "degraded",
        reason: "daysRemaining is at least 14 failed, it was 9.",
      }),
      target(4, {
        checkName: "Nightly export",
        status: "unknown",
        paused: true,
        lastRun: undefined,
        availability24h: undefined,
        p50: undefined,
        p95: undefined,
      }),
    ],
  };
}

export function runs(now: number) {
  return Array.from({ length: 25 }, (_, at) => ({
    slot: now - at * minute,
    at: new Date(now - at * minute).toISOString(),
    lateMs: 3,
    verdict: at < 6 ? "failed" : at === 9 ? "errored" : "passed",
    cause: at < 6 ? "refused" : at === 9 ? "secret-missing" : "none",
    tookMs: 30 + at,
  }));
}

export const period = {
  runs: 7_200,
  passed: 7_100,
  failed: 90,
  errored: 10,
  skipped: 0,
  missed: 12,
  availability: 0.9875,
  causes: [
    { cause: "refused", n: 80 },
    { cause: "timed-out", n: 10 },
  ],
  outages: 3,
  downSeconds: 2_700,
  longestOutageSeconds: 1_500,
  meanOutageSeconds: 840,
  measuredSeconds: 86_400,
  seconds: [],
  downtime: [
    {
      from: "2026-11-22T10:00:00Z",
      to: "2026-11-22T10:25:00Z",
      changedAt: "2026-11-22T10:01:00Z",
      seconds: 1_500,
      status: "unhealthy",
      parts: [
        {
          from: "2026-11-22T10:00:00Z",
          to: "2026-11-22T10:25:00Z",
          status: "unhealthy",
          targetId: 1,
          checkName: "Homepage, production",
          reason: "5 runs in a row failed: Expected statusCode = 200, got 503",
        },
      ],
    },
  ],
};

/** Puts the data in the place of what the server would say. */
export async function serve(page: Page, data: { systems: number; points: number }): Promise<void> {
  const rows = board(data.systems, Date.now());
  await page.route("**/api/healthcheck/board?*", async (route) => {
    const { searchParams } = new URL(route.request().url());
    const found = rows.filter((row) =>
      row.systemName.toLowerCase().includes((searchParams.get("query") ?? "").toLowerCase()),
    );
    const counts = Object.fromEntries([
      ["partlyUnknown", 0],
      ...statuses.map((status) => [status, found.filter((row) => row.status === status).length]),
    ]);
    const wanted = found.filter(({ status }) => !searchParams.get("status") || status === searchParams.get("status"));
    const begin = Number(searchParams.get("cursor") ?? 0);
    const end = begin + Number(searchParams.get("limit"));
    await route.fulfill({
      json: {
        systems: wanted.slice(begin, end),
        groups,
        counts,
        ...(end < wanted.length && { nextCursor: String(end) }),
      },
    });
  });
  await page.route("**/api/healthcheck/board/past?*", async (route) => {
    const ids = new URL(route.request().url()).searchParams.get("systemIds")?.split(",") ?? [];
    await route.fulfill({ json: { systems: ids.map((id) => past(id, Date.now())) } });
  });
  // Of any: the page behind a link that has the focus for a moment is read ahead.
  await page.route("**/api/healthcheck/systems/*", (route) => route.fulfill({ json: system(Date.now()) }));
  await page.route("**/api/healthcheck/targets/*/runs?*", (route) =>
    route.fulfill({ json: { runs: runs(Date.now()) } }),
  );
  await page.route("**/api/healthcheck/systems/*/period?*", (route) => route.fulfill({ json: period }));
  await page.route("**/api/healthcheck/systems/*/chart?*", async (route) => {
    const { searchParams } = new URL(route.request().url());
    const to = Date.parse(searchParams.get("to") ?? "") || Date.now();
    const from = Date.parse(searchParams.get("from") ?? "") || to - Number(searchParams.get("days")) * 86_400_000;
    await route.fulfill({ json: chart(data.points, from, to) });
  });
}
