import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import type { Plan, Proposal } from "../api/proposals";
import { PlanCard } from "./PlanCard";

function proposal(id: string, changes: Partial<Proposal> = {}): Proposal {
  return {
    proposalId: id,
    toolCallId: `call-${id}`,
    createdAt: "2026-11-21T10:00:00Z",
    proposer: { kind: "user", id: "me", name: "Ada" },
    toolName: "catalog.createSystem",
    effect: "mutate",
    summary: `Create the system ${id}`,
    payload: { name: id, ownerTeamId: "team-1" },
    labels: { "team-1": "Platform" },
    status: "proposed",
    expiresAt: new Date(Date.now() + 90_000).toISOString(),
    token: `token-${id}`,
    turnId: "t1",
    ...changes,
  };
}

interface Backend {
  proposals: Proposal[];
  write?: (path: string) => { status: number; body: object } | undefined;
}

function serve(backend: Backend) {
  const plan = (): Plan => ({ planId: "t1", conversationId: "c1", status: "proposed", proposals: backend.proposals });
  const writes: { path: string; body: unknown }[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    const path = new URL(request.url).pathname;
    if (request.method === "POST") {
      writes.push({ path, body: JSON.parse((await request.text()) || "null") });
      const outcome = backend.write?.(path);
      return Response.json(outcome?.body ?? plan(), { status: outcome?.status ?? 200 });
    }
    if (path === "/api/ai/plans/t1") return Response.json(plan());
    if (path === "/api/me") return Response.json({ id: "me", name: "Ada", kind: "user", rules: [] });
    return Response.json({ temporalUiUrl: "http://temporal.test", temporalNamespace: "default" });
  });
  return writes;
}

function show(cards: Proposal[], growing = false) {
  const onDecided = vi.fn<(decision: string) => void>();
  const onSettled = vi.fn<(id: string, status: string) => void>();
  const queryClient = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const rootRoute = createRootRoute({
    component: () => (
      <PlanCard cards={cards} growing={growing} onDecided={onDecided} onSettled={onSettled} planId="t1" />
    ),
  });
  const router = createRouter({ routeTree: rootRoute, history: createMemoryHistory() });
  render(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router as never} />
    </QueryClientProvider>,
  );
  return { onDecided, onSettled };
}

const applyButton = async () => {
  const button = await screen.findByTestId("plan-apply");
  await waitFor(() => expect(button).toHaveProperty("disabled", false));
  return button;
};

describe("PlanCard", () => {
  it("lists the changes in order, with names instead of ids", async () => {
    const proposals = [proposal("B"), proposal("A")];
    serve({ proposals });
    show(proposals);
    await applyButton();
    const members = screen.getAllByTestId("plan-member");
    expect(members.map((member) => within(member).getByText(/Create the system/).textContent)).toEqual([
      "Create the system B",
      "Create the system A",
    ]);
    expect(screen.getAllByText("Platform")).toHaveLength(2);
    expect(screen.getByTestId("plan-status").textContent).toBe("Waiting for you");
  });

  it("applies exactly what was seen, once, and reports the outcome of each", async () => {
    const proposals = [proposal("A"), proposal("B"), proposal("C")];
    const backend: Backend = {
      proposals,
      write: () => {
        backend.proposals = [
          proposal("A", { status: "applied", planned: true }),
          proposal("B", {
            status: "failed",
            planned: true,
            error: { code: "conflict", message: "The name B is taken." },
          }),
          proposal("C", { status: "skipped", planned: true }),
        ];
        return undefined;
      },
    };
    const writes = serve(backend);
    const { onDecided, onSettled } = show(proposals);
    await userEvent.dblClick(await applyButton());
    await waitFor(() => expect(screen.getByTestId("plan-status").textContent).toBe("Stopped: 1 of 3 applied"));
    expect(writes).toEqual([{ path: "/api/ai/plans/t1/apply", body: { tokens: ["token-A", "token-B", "token-C"] } }]);
    expect(screen.getByText("The name B is taken.")).toBeTruthy();
    expect(screen.getByText(/an earlier change of its plan failed/)).toBeTruthy();
    expect(onDecided).toHaveBeenCalledExactlyOnceWith("apply");
    expect(onSettled).not.toHaveBeenCalled();
    expect(screen.queryByTestId("plan-apply")).toBeNull();
  });

  it("says what it does, and for each change who decided about it", async () => {
    const proposals = [
      proposal("A"),
      proposal("B"),
      proposal("C", {
        status: "declined",
        token: undefined,
        decidedBy: { kind: "user", id: "grace", name: "Grace" },
        decidedAt: "2026-11-21T10:05:00Z",
      }),
    ];
    serve({ proposals });
    show(proposals);
    expect((await applyButton()).textContent).toBe("Create 2 systems");
    expect(screen.getByTestId("proposal-outcome").textContent).toMatch(/^Declined by Grace, .*2026/);
  });

  it("takes a reason from whoever decides about somebody else's plan", async () => {
    const proposer = { kind: "user", id: "grace", name: "Grace" } as const;
    const proposals = [proposal("A", { proposer }), proposal("B", { proposer })];
    const writes = serve({ proposals });
    show(proposals);
    await userEvent.type(await screen.findByLabelText("Reason (optional)"), " Agreed in the review ");
    await userEvent.click(await applyButton());
    await userEvent.click(screen.getByTestId("plan-decline"));
    expect(writes).toEqual([
      {
        path: "/api/ai/plans/t1/apply",
        body: { tokens: ["token-A", "token-B"], reason: "Agreed in the review" },
      },
      { path: "/api/ai/plans/t1/decline", body: { reason: "Agreed in the review" } },
    ]);
  });

  it("asks nobody for a reason about a plan of their own", async () => {
    const proposals = [proposal("A"), proposal("B")];
    serve({ proposals });
    show(proposals);
    await applyButton();
    expect(screen.queryByTestId("decision-reason")).toBeNull();
  });

  it("says how far it has come while it is applied", async () => {
    const proposals = [proposal("A"), proposal("B"), proposal("C")];
    const applying = { status: "applying", planned: true } as const;
    serve({
      proposals: [
        proposal("A", { status: "applied", planned: true }),
        proposal("B", applying),
        proposal("C", applying),
      ],
    });
    show(proposals);
    await screen.findByText("Applying 2 of 3…");
    expect(screen.getByText("Waiting its turn")).toBeTruthy();
  });

  it("declines everything", async () => {
    const proposals = [proposal("A"), proposal("B")];
    const backend: Backend = {
      proposals,
      write: () => {
        backend.proposals = proposals.map((one) => proposal(one.proposalId, { status: "declined", planned: true }));
        return undefined;
      },
    };
    const writes = serve(backend);
    const { onDecided } = show(proposals);
    await applyButton();
    await userEvent.click(screen.getByTestId("plan-decline"));
    await waitFor(() => expect(onDecided).toHaveBeenCalledExactlyOnceWith("decline"));
    expect(writes.map((write) => write.path)).toEqual(["/api/ai/plans/t1/decline"]);
  });

  it("lets one change be decided by itself", async () => {
    const proposals = [proposal("A"), proposal("B")];
    const backend: Backend = {
      proposals,
      write: () => {
        backend.proposals = [proposal("A"), proposal("B", { status: "applied", token: undefined })];
        return { status: 200, body: { proposalId: "B", status: "applied" } };
      },
    };
    const writes = serve(backend);
    const { onDecided, onSettled } = show(proposals);
    await applyButton();
    await userEvent.click(screen.getByRole("button", { name: "Create system, only this: number 2" }));
    await waitFor(() => expect(onSettled).toHaveBeenCalledExactlyOnceWith("B", "applied"));
    expect(writes).toEqual([{ path: "/api/ai/proposals/apply", body: { token: "token-B" } }]);
    expect(onDecided).not.toHaveBeenCalled();
    expect(screen.getByTestId("plan-apply").textContent).toBe("Create system");
  });

  it("says why a plan is not as it was seen", async () => {
    const proposals = [proposal("A"), proposal("B")];
    serve({
      proposals,
      write: () => ({ status: 409, body: { title: "Conflict", detail: "The plan is not as you saw it." } }),
    });
    show(proposals);
    await userEvent.click(await applyButton());
    expect(await screen.findByText("The plan is not as you saw it.")).toBeTruthy();
  });

  it("needs the second person for the whole of a plan that has such a change", async () => {
    const proposals = [
      proposal("A"),
      proposal("B", { twoPerson: true, token: undefined, blocked: "A second person has to apply this." }),
    ];
    serve({ proposals });
    show(proposals);
    await screen.findByText(/You cannot apply this plan as a whole/);
    expect(screen.getByTestId("plan-apply")).toHaveProperty("disabled", true);
    await waitFor(() => expect(screen.getByTestId("second-person").textContent).toContain("You proposed this"));
  });

  it("waits for others where its reader may decide about none of it", async () => {
    const blocked = { twoPerson: true, token: undefined, blocked: "A second person has to apply this." };
    const proposals = [proposal("A", blocked), proposal("B", blocked)];
    serve({ proposals });
    show(proposals);
    await waitFor(() => expect(screen.getByTestId("plan-status").textContent).toBe("Waiting for others"));
  });

  it("says once what the chat held that its person had not written, as long as something is open", async () => {
    const at = "2026-11-21T09:59:00Z";
    const page = { seq: 3, kind: "tool", tool: "ai.probeUrl", source: "https://example.org", at } as const;
    const written = { seq: 4, kind: "written", at } as const;
    const proposals = [proposal("A", { outside: [page] }), proposal("B", { outside: [written, page] })];
    const backend: Backend = { proposals };
    serve(backend);
    show(proposals);
    await applyButton();
    const lines = within(screen.getByTestId("proposal-outside")).getAllByRole("listitem");
    expect(lines.map((line) => line.textContent)).toEqual([
      expect.stringMatching(/^Content from a less-privileged user/),
      expect.stringMatching(/^Probed a URL: https:\/\/example\.org/),
    ]);
    backend.proposals = proposals.map(({ proposalId }) =>
      proposal(proposalId, { status: "declined", token: undefined, outside: [page] }),
    );
    await userEvent.click(screen.getByTestId("plan-decline"));
    await waitFor(() => expect(screen.queryByTestId("proposal-outside")).toBeNull());
  });

  it("waits while the assistant adds changes", async () => {
    const proposals = [proposal("A"), proposal("B")];
    serve({ proposals });
    show(proposals, true);
    await screen.findByText("The assistant is still adding changes.");
    expect(screen.queryByTestId("plan-apply")).toBeNull();
  });
});
