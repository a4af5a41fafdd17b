import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from "@tanstack/react-router";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { proposalQuery, type Proposal } from "../api/proposals";
import { ProposalsPage } from "./ProposalsPage";

const inPlan = (planId: string): Proposal => ({
  proposalId: `of-${planId}`,
  planId,
  toolCallId: "call",
  turnId: "t1",
  createdAt: "2026-11-21T10:00:00Z",
  proposer: { kind: "user", id: "bob", name: "Bob" },
  toolName: "catalog.createSystem",
  effect: "mutate",
  summary: `Create the system ${planId}`,
  payload: { name: planId },
  status: "proposed",
  expiresAt: new Date(Date.now() + 90_000).toISOString(),
  token: "token",
});

/** A server; the list of proposals is the answer's. */
function serve(list: (status: string | null) => { proposals: Proposal[]; nextCursor?: string }) {
  vi.stubGlobal("fetch", async (request: Request) => {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "/api/ai/proposals") return Response.json(list(searchParams.get("status")));
    const [, kind, id = ""] = /\/(proposals|plans)\/(?:of-)?(\w+)$/.exec(pathname) ?? [];
    if (kind === "proposals") return Response.json(inPlan(id));
    if (kind === "plans")
      return Response.json({ planId: id, conversationId: "c1", status: "proposed", proposals: [inPlan(id)] });
    return Response.json({ id: "me", name: "Ada", kind: "user", rules: [] });
  });
}

function show(at: string) {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const root = createRootRoute();
  const app = createRoute({ getParentRoute: () => root, id: "app" });
  const page = createRoute({ getParentRoute: () => app, path: "/proposals", component: ProposalsPage });
  const router = createRouter({
    routeTree: root.addChildren([app.addChildren([page])]),
    history: createMemoryHistory({ initialEntries: [at] }),
  });
  render(
    <QueryClientProvider client={client}>
      <RouterProvider router={router as never} />
    </QueryClientProvider>,
  );
  return { client, go: (to: string) => router.history.push(to) };
}

const notBusy = () => screen.findByRole("button", { name: "Show older", busy: false });

it("gives the focus to the list when there are no older ones to show", async () => {
  // The page size is twenty.
  let left = 25;
  serve(() => ({ proposals: [], ...(--left > 0 && { nextCursor: "older" }) }));
  show("/proposals?status=applied");
  await userEvent.click(await notBusy());
  await screen.findByText("No proposals here");
  expect(document.activeElement).toBe(screen.getByRole("list", { name: "Proposals" }).parentElement);
});

it("leaves the focus on the filter that was chosen after older ones were shown", async () => {
  let asked = 0;
  serve((status) => {
    asked++;
    return { proposals: [], ...(status !== "declined" && { nextCursor: "older" }) };
  });
  show("/proposals?status=all");
  await userEvent.click(await notBusy());
  await vi.waitUntil(() => asked === 40);
  await notBusy();
  await userEvent.click(screen.getByRole("link", { name: "Declined" }));
  await screen.findByText("No proposals here");
  expect(document.activeElement).toBe(screen.getByRole("link", { name: "Declined" }));
});

it("shows the reason that is typed for one plan with no other", async () => {
  serve(() => ({ proposals: [] }));
  const { client, go } = show("/proposals?proposal=of-one");
  client.setQueryData(proposalQuery("of-two").queryKey, inPlan("two"));
  await userEvent.type(await screen.findByTestId("decision-reason"), "Not today");
  go("/proposals?proposal=of-two");
  await screen.findByText("Create the system two");
  expect((await screen.findByTestId<HTMLTextAreaElement>("decision-reason")).value).toBe("");
});
