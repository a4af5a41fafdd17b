import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import type { HealthTarget, SystemHealth } from "../api/health";
import { meQuery } from "../api/session";
import { failuresOf } from "./failures";
import { SystemFailing } from "./SystemFailing";

const now = Date.parse("2026-11-28T12:00:00Z");

const target = (id: number, checkName: string, more: Partial<HealthTarget>): HealthTarget => ({
  id,
  checkId: `c${id}`,
  checkName,
  status: "healthy",
  intervalSeconds: 60,
  paused: false,
  ...more,
});

const targets = [
  target(1, "API", {}),
  target(2, "Certificate", {
    status: "degraded",
    since: "2026-11-28T09:00:00Z",
    reason: "2 runs in a row failed: Expected daysRemaining >= 14, got 9",
  }),
  target(3, "Keyword", {
    status: "unhealthy",
    since: "2026-11-28T11:43:00Z",
    lastRun: "2026-11-28T11:58:00Z",
    reason: "5 runs in a row failed: Expected statusCode = 200, got 503",
    environment: { id: "e1", name: "production" },
  }),
  target(4, "Login", { status: "unhealthy", since: "2026-11-28T11:00:00Z", reason: "It was refused" }),
  target(5, "Paused", { status: "unhealthy", paused: true, reason: "It was refused" }),
  target(6, "Secret", { status: "unknown", reason: "3 runs in a row could not be made: The secret PAGE is not there" }),
  target(7, "New", { status: "unknown" }),
];

const system = (of: HealthTarget[], more: Partial<SystemHealth> = {}): SystemHealth => ({
  systemId: "s1",
  systemName: "Shop",
  status: "unhealthy",
  reason: "",
  why: "",
  targets: of,
  ...more,
});

async function show(of: SystemHealth, onRuns: (target: HealthTarget) => void = () => {}) {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } });
  client.setQueryData(meQuery.queryKey, { rules: ["healthcheck.healthcheck.read"] } as never);
  const router = createRouter({
    history: createMemoryHistory({ initialEntries: ["/"] }),
    routeTree: createRootRoute({
      component: () => (
        <>
          <SystemFailing now={now} onRuns={onRuns} system={of} />
          <p>The rest</p>
        </>
      ),
    }),
  });
  render(
    <QueryClientProvider client={client}>
      <RouterProvider router={router as never} />
    </QueryClientProvider>,
  );
  await screen.findByText("The rest");
}

it("What does not pass stands with the worst first, then what has failed longest, and what cannot be made", () => {
  expect(failuresOf(targets).map(({ checkName }) => checkName)).toEqual(["Login", "Keyword", "Certificate", "Secret"]);
  expect(failuresOf([target(1, "API", { reason: "The last run failed" })])).toEqual([]);
});

it("Each check that fails is named, with why, since when and when it ran last", async () => {
  const onRuns = vi.fn<(target: HealthTarget) => void>();
  await show(system(targets), onRuns);
  expect(screen.getByRole("heading").textContent).toBe("4 of 6 checks do not pass");
  const keyword = within(screen.getAllByTestId("failure")[1] as HTMLElement);
  expect(keyword.getByRole("link").textContent).toBe("Keyword");
  expect(keyword.getByRole("link").getAttribute("href")).toBe("/health/checks/c3");
  keyword.getByText("Unhealthy");
  keyword.getByText("production");
  keyword.getByText("5 runs in a row failed: Expected statusCode = 200, got 503");
  const when = keyword.getByText(/For 17 min, since/);
  expect(when.textContent).toContain("last run 2 minutes ago, every 60 s");
  expect(when.querySelector("time")?.dateTime).toBe("2026-11-28T11:43:00Z");
  await userEvent.click(keyword.getByRole("button", { name: "Runs of Keyword in production" }));
  expect(onRuns).toHaveBeenCalledWith(targets[2]);
});

it("What else makes a system so is named too", async () => {
  const since = "2026-11-28T11:00:00Z";
  const overrides = [
    { source: "incident.open", label: "Open incident", status: "degraded" as const, since, reason: "Mail is slow" },
  ];
  await show(system([target(1, "API", {})], { overrides }));
  expect(screen.getByRole("heading").textContent).toBe("What makes it so");
  expect(screen.getByTestId("failure").textContent).toMatch(/Open incident.*Mail is slow.*For 1 h, since/);
});

it("A system whose checks pass begins with the rest", async () => {
  await show(system([target(1, "API", {}), target(7, "New", { status: "unknown" })], { status: "healthy" }));
  expect(screen.queryByTestId("failing")).toBeNull();
});
