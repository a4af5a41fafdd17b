import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import type { OutsideContent } from "../api/outside";
import { OutsideNotice } from "./OutsideNotice";

const outside: OutsideContent[] = [
  { seq: 9, kind: "tool", tool: "ai.probeUrl", source: "https://example.org/", at: "2026-11-22T10:00:00Z" },
  {
    seq: 8,
    kind: "written",
    tool: "catalog.listSystems",
    source: "system Payments, written by Eve",
    at: "2026-11-22T09:30:00Z",
  },
  { seq: 7, kind: "skill", source: "Tidy (Eve)", at: "2026-11-22T09:00:00Z" },
  { seq: 5, kind: "earlier", at: "2026-11-22T08:00:00Z" },
  { seq: 3, kind: "memory", source: "Deploys", at: "2026-11-22T07:00:00Z" },
];

describe("OutsideNotice", () => {
  it("names what was read, and accepts what it shows and no more", async () => {
    const writes: { path: string; body: unknown }[] = [];
    vi.stubGlobal("fetch", async (request: Request) => {
      writes.push({ path: new URL(request.url).pathname, body: JSON.parse(await request.text()) });
      return Response.json({ outside: [] });
    });
    const root = createRootRoute({ component: () => <OutsideNotice conversationId="c1" outside={outside} /> });
    const router = createRouter({ routeTree: root, history: createMemoryHistory() });
    render(
      <QueryClientProvider client={new QueryClient()}>
        <RouterProvider router={router} />
      </QueryClientProvider>,
    );
    const list = await screen.findByTestId("outside-list");
    expect(list.textContent).toContain("Probed a URL: https://example.org/");
    expect(list.textContent).toContain("Content from a less-privileged user: system Payments, written by Eve");
    expect(list.textContent).toContain("Another user's skill: Tidy (Eve)");
    expect(list.textContent).toContain("and 2 more");
    await userEvent.click(screen.getByTestId("outside-accept"));
    await waitFor(() =>
      expect(writes).toEqual([{ path: "/api/ai/conversations/c1/outside/accept", body: { through: 9 } }]),
    );
  });
});
