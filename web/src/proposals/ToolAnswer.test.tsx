import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import type { Proposal } from "../api/proposals";
import { meQuery } from "../api/session";
import { ToolAnswer } from "./ToolAnswer";

const me = { kind: "user", id: "u1", name: "Ada" } as const;

const applied = (change: Partial<Proposal>): Proposal => ({
  proposalId: "p1",
  toolCallId: "c1",
  createdAt: "2026-11-21T10:00:00Z",
  expiresAt: "2026-11-21T10:10:00Z",
  proposer: me,
  decidedBy: me,
  toolName: "agent.order-desk.total-of-cart",
  effect: "mutate",
  summary: "Call total-of-cart",
  payload: {},
  status: "applied",
  ...change,
});

const called = { tool_id: "total-of-cart", ok: true, result: { total: 19.5 }, revision: 7, duration_ms: 3 };

function show(change: Partial<Proposal>) {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: Infinity } } });
  client.setQueryData(meQuery.queryKey, { ...me, rules: [], teams: [], roles: [] } as never);
  return render(
    <QueryClientProvider client={client}>
      <ToolAnswer proposal={applied(change)} />
    </QueryClientProvider>,
  );
}

it("An applied call of a custom tool says what the tool answered, and which revision ran", async () => {
  show({ result: called });
  expect((await screen.findByTestId("called-result")).textContent).toContain('"total": 19.5');
  expect(screen.getByTestId("called-answer").textContent).toContain("revision 7, 3 ms");
});

it("A tool that has failed says so although its call was applied", async () => {
  show({
    result: { ...called, ok: false, result: undefined, error: { code: "timeout", message: "took too long", line: 4 } },
  });
  const answer = await screen.findByTestId("called-answer");
  expect(answer.textContent).toContain("Stopped: timed out");
  expect(answer.textContent).toContain("Took too long.");
  expect(answer.textContent).toContain("line 4 of its source");
  expect(screen.queryByTestId("called-result")).toBeNull();
});

it("A tool that did not run says what it needs", async () => {
  const auth_required = { provider: "countersign", detail: "This tool runs only for a person who has signed in." };
  show({ result: { ...called, ok: false, result: undefined, auth_required } });
  const answer = await screen.findByTestId("called-answer");
  expect(answer.textContent).toContain("Not run");
  expect(answer.textContent).toContain(auth_required.detail);
});

it("Of a long answer only the beginning is drawn, until somebody asks for the rest", async () => {
  show({ result: { ...called, result: "x".repeat(60_000) } });
  expect((await screen.findByTestId("called-result")).textContent).toHaveLength(20_000);
  await userEvent.click(screen.getByTestId("show-more"));
  expect(screen.getByTestId("called-result").textContent).toHaveLength(60_002);
});

it("Whoever did not decide is told who sees the answer", async () => {
  show({ decidedBy: { kind: "user", id: "u2", name: "Bob" }, result: { ok: true } });
  expect((await screen.findByTestId("answer-elsewhere")).textContent).toContain("Only Bob");
});

it("An applied request says what came back", async () => {
  show({
    toolName: "http.request",
    result: {
      url: "https://example.com/x",
      status: 503,
      status_text: "Service Unavailable",
      redirects: 1,
      headers: { "content-type": "text/plain" },
      body: "Come back later.",
      body_truncated: true,
    },
  });
  const answer = await screen.findByTestId("http-answer");
  expect(answer.textContent).toContain("503 Service Unavailable");
  expect(answer.textContent).toContain("from https://example.com/x");
  expect(answer.textContent).toContain("The rest of the body is missing.");
  expect(screen.getByTestId("http-answer-body").textContent).toBe("Come back later.");
});

it("Other changes have no answer, whatever their result looks like", () => {
  const { container } = show({ toolName: "catalog.createSystem", result: called });
  expect(container.textContent).toBe("");
});
