import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { cleanup, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { presence } from "../api/presence";
import type { Proposal } from "../api/proposals";
import { ProposalCard } from "./ProposalCard";

const token = "propose:p1.nonce";

const pending: Proposal = {
  proposalId: "p1",
  toolCallId: "c1",
  createdAt: "2026-11-21T10:00:00Z",
  proposer: { kind: "user", id: "me", name: "Ada" },
  toolName: "catalog.updateSystem",
  effect: "mutate",
  summary: "Rename Ledger to General Ledger",
  payload: {},
  diff: [{ path: "name", before: "Ledger", after: "General Ledger" }],
  status: "proposed",
  expiresAt: new Date(Date.now() + 90_000).toISOString(),
  token,
};

interface Backend {
  proposal: Proposal;
  apply?: () => { status: number; body: object };
}

/** A server with one proposal; returns the writes that reach it. */
function serve(backend: Backend) {
  const writes: { path: string; body: unknown; key: string | null }[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    const path = new URL(request.url).pathname;
    if (request.method === "POST") {
      const body: unknown = JSON.parse((await request.text()) || "null");
      writes.push({ path, body, key: request.headers.get("idempotency-key") });
      if (path.endsWith("/decline")) {
        backend.proposal = { ...backend.proposal, status: "declined", token: undefined };
        return Response.json({});
      }
      const outcome = backend.apply?.();
      return Response.json(outcome?.body ?? {}, { status: outcome?.status ?? 200 });
    }
    if (path === "/api/ai/proposals/p1") return Response.json(backend.proposal);
    return Response.json({ temporalUiUrl: "http://temporal.test", temporalNamespace: "default" });
  });
  return writes;
}

function show(onSettled = vi.fn<(status: string) => void>(), card = pending) {
  const queryClient = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const rootRoute = createRootRoute({ component: () => <ProposalCard card={card} onSettled={onSettled} /> });
  const router = createRouter({ routeTree: rootRoute, history: createMemoryHistory() });
  render(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router as never} />
    </QueryClientProvider>,
  );
  return onSettled;
}

const applyButton = async () => {
  const button = await screen.findByTestId("proposal-apply");
  await waitFor(() => expect(button).toHaveProperty("disabled", false));
  return button;
};

describe("ProposalCard", () => {
  it("shows what would change and how long it may be decided", async () => {
    serve({ proposal: pending });
    show();
    await applyButton();
    expect(screen.getByText("Rename Ledger to General Ledger")).toBeTruthy();
    expect(screen.getByText("General Ledger").tagName).toBe("INS");
    expect(screen.getByTestId("proposal-countdown").textContent).toMatch(/^1:(30|2\d)$/);
  });

  it("applies with the token once and reports the outcome", async () => {
    const backend: Backend = {
      proposal: pending,
      apply: () => {
        backend.proposal = {
          ...pending,
          status: "applied",
          token: undefined,
          decidedBy: { kind: "user", id: "me", name: "Ada" },
        };
        return { status: 200, body: { proposalId: "p1", status: "applied" } };
      },
    };
    const writes = serve(backend);
    const onSettled = show();
    await userEvent.dblClick(await applyButton());
    await waitFor(() => expect(screen.getByTestId("proposal-outcome").textContent).toContain("Applied by Ada"));
    expect(writes).toEqual([{ path: "/api/ai/proposals/apply", body: { token }, key: expect.any(String) }]);
    expect(onSettled).toHaveBeenCalledExactlyOnceWith("applied");
    expect(screen.queryByTestId("proposal-apply")).toBeNull();
  });

  it("says on its button what it does, what goes along, and where its target is", async () => {
    const effects = ["Its 3 contacts go with it."];
    const system = { payload: { id: "s1" }, diff: undefined, labels: { s1: "Ledger" } };
    serve({ proposal: { ...pending, ...system, toolName: "catalog.deleteSystem", effect: "destructive", effects } });
    show(vi.fn(), { ...pending, ...system, toolName: "catalog.deleteSystem", effect: "destructive" });
    expect((await applyButton()).textContent).toBe("Delete system");
    expect(screen.getByTestId("proposal-effects").textContent).toBe(effects[0]);
    expect(screen.getByTestId("target-link").getAttribute("href")).toBe("/catalog/systems/s1");
    expect(screen.getByTestId("payload").textContent).toBe("SystemLedger");
  });

  it("declines without touching anything", async () => {
    const writes = serve({ proposal: pending });
    const onSettled = show();
    await applyButton();
    await userEvent.click(screen.getByTestId("proposal-decline"));
    await waitFor(() => expect(onSettled).toHaveBeenCalledExactlyOnceWith("declined"));
    expect(writes.map((write) => write.path)).toEqual(["/api/ai/proposals/p1/decline"]);
  });

  it("shows what changed meanwhile when the target has drifted", async () => {
    const diff = [{ path: "name", before: "Ledger", after: "Old Ledger" }];
    const detail = "Ledger was changed meanwhile.";
    const backend: Backend = {
      proposal: pending,
      apply: () => {
        backend.proposal = {
          ...pending,
          status: "failed",
          token: undefined,
          error: { code: "drift", message: detail, diff },
        };
        return { status: 409, body: { title: "Drift", detail, diff } };
      },
    };
    serve(backend);
    const onSettled = show();
    await userEvent.click(await applyButton());
    await waitFor(() => expect(screen.getByTestId("drift").textContent).toContain("Old Ledger"));
    expect(screen.getAllByText(detail)).toHaveLength(1);
    expect(onSettled).toHaveBeenCalledExactlyOnceWith("failed");
  });

  it("offers no Apply to a person who gets no token", async () => {
    serve({ proposal: { ...pending, token: undefined } });
    show();
    await screen.findByText("You may not apply this change.");
    expect(screen.getByTestId("proposal-apply")).toHaveProperty("disabled", true);
  });

  it("keeps the reason that is being written until it is given", async () => {
    presence.begin({ id: "grace", name: "Grace", email: "grace@example.org" });
    const writes = serve({ proposal: pending });
    show();
    await userEvent.type(await screen.findByTestId("decision-reason"), "Agreed in the review");
    cleanup();
    show();
    const box = await screen.findByTestId<HTMLTextAreaElement>("decision-reason");
    expect(box.value).toBe("Agreed in the review");
    await userEvent.click(await screen.findByTestId("proposal-decline"));
    await waitFor(() => expect(writes.map(({ body }) => body)).toEqual([{ reason: "Agreed in the review" }]));
    await waitFor(() => expect(localStorage.length).toBe(0));
    presence.end();
  });

  it("does not report a proposal that was decided before it was opened", async () => {
    serve({ proposal: { ...pending, status: "applied", token: undefined } });
    const onSettled = show();
    await screen.findByTestId("proposal-outcome");
    expect(onSettled).not.toHaveBeenCalled();
  });

  it("closes the card when its time is over", async () => {
    serve({ proposal: { ...pending, expiresAt: new Date(Date.now() - 1_000).toISOString() } });
    show();
    await screen.findByText(/Expired without a decision/);
    expect(screen.queryByTestId("proposal-apply")).toBeNull();
  });
});
