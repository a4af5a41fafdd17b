import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import type { HealthTarget, SystemHealth } from "../api/health";
import { meQuery } from "../api/session";
import { targetWith, withRuns } from "./locations";
import { TargetRow } from "./TargetRow";

const target: HealthTarget = {
  id: 1,
  checkId: "c1",
  checkName: "Front",
  status: "healthy",
  intervalSeconds: 60,
  paused: false,
  locations: [{ id: 2, name: "main", status: "healthy" }],
  formerLocations: [
    { id: 3, name: "Frankfurt", removed: true, until: "2026-11-25T12:00:00Z" },
    { id: 4, name: "Oregon", removed: false, until: "2026-11-24T12:00:00Z" },
  ],
};
const system: SystemHealth = {
  systemId: "s1",
  systemName: "Shop",
  status: "healthy",
  reason: "",
  why: "",
  targets: [target],
};

it("Past runs of a removed location are found under its name", async () => {
  expect(targetWith([target], 3)).toMatchObject({
    id: 3,
    checkName: "Front from Frankfurt (removed)",
    status: "unknown",
  });
  expect(targetWith([target], 4)?.checkName).toBe("Front from Oregon (earlier)");
  expect(withRuns(targetWith([target], 3))?.id).toBe(3);
  expect(withRuns(target)?.id).toBe(2);

  const chosen: number[] = [];
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } });
  client.setQueryData(meQuery.queryKey, { rules: [] } as never);
  const router = createRouter({
    history: createMemoryHistory({ initialEntries: ["/"] }),
    routeTree: createRootRoute({
      component: () => (
        <TargetRow
          chosen={3}
          now={Date.parse("2026-11-28T12:00:00Z")}
          onChoose={(id) => chosen.push(id)}
          system={system}
          target={target}
        />
      ),
    }),
  });
  render(
    <QueryClientProvider client={client}>
      <RouterProvider router={router as never} />
    </QueryClientProvider>,
  );
  const former = await screen.findAllByTestId("former-location");
  expect(former.map((one) => one.textContent)).toEqual([
    "Frankfurt (removed)Ran until 3 days ago",
    "Oregon (earlier)Ran until 4 days ago",
  ]);
  expect(screen.getByTitle("Chart and past runs from Frankfurt").getAttribute("aria-pressed")).toBe("true");
  await userEvent.click(screen.getByTitle("Chart and past runs from Oregon"));
  expect(chosen).toEqual([4]);
});
