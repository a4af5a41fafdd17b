import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { render, screen } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import type { Proposal } from "../api/proposals";
import { AppliedCard } from "./AppliedCard";

const card: Proposal = {
  proposalId: "p1",
  toolCallId: "c1",
  createdAt: "2026-11-21T10:00:00Z",
  proposer: { kind: "user", id: "me", name: "Ada" },
  toolName: "catalog.createGroup",
  effect: "mutate",
  summary: "Create the group Shop",
  payload: { name: "Shop" },
  result: { group: { id: "g1", name: "Shop" } },
  status: "applied",
  expiresAt: "2026-11-21T10:10:00Z",
};

it("says when a change was applied without a question, and where it is", async () => {
  vi.stubGlobal("fetch", async (request: Request) =>
    Response.json(
      new URL(request.url).pathname === "/api/ai/proposals/p1" ? { ...card, decidedAt: "2026-11-21T10:00:01Z" } : {},
    ),
  );
  const rootRoute = createRootRoute({ component: () => <AppliedCard card={card} /> });
  const router = createRouter({ routeTree: rootRoute, history: createMemoryHistory() });
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <RouterProvider router={router as never} />
    </QueryClientProvider>,
  );
  await screen.findByText(/^Applied automatically \(auto mode\), .*2026/);
  expect(screen.getByTestId("result-link").getAttribute("href")).toBe("/catalog/groups/g1");
});
