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
import { describe, expect, it, vi } from "vitest";
import type { Agent, AgentRevision, RevisionState } from "../../api/agents";
import { RevisionBar } from "./RevisionBar";

const agent = (access: Agent["access"], change: Partial<Agent> = {}) =>
  ({ id: "a", name: "Desk", slug: "desk", private: true, access, ...change }) as Agent;

const revision = (state: RevisionState, number = 2) =>
  ({ id: `r${number}`, agentId: "a", number, state, revision: 7, toolCount: 1 }) as AgentRevision;

const bundleOf = (tools: string[]) => ({
  revision_id: "r",
  state: "ready",
  revision: 1,
  warnings: [],
  bundle: {
    agent_md: "",
    skills: [],
    spec: {},
    tools: tools.map((id) => ({ id, effect: "read", source: id, description: "", args_schema: {}, examples: [] })),
  },
});

type Answer = { status?: number; body: object };

/** A server that answers by the end of the path; writes are noted. */
function serve(answers: Record<string, Answer>) {
  const writes: { path: string; ifMatch: string | null }[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    const { pathname } = new URL(request.url);
    if (request.method !== "GET") writes.push({ path: pathname, ifMatch: request.headers.get("if-match") });
    const found = Object.entries(answers).find(([end]) => pathname.endsWith(end))?.[1];
    return Response.json(found?.body ?? {}, { status: found?.status ?? 200 });
  });
  return writes;
}

async function show(of: Agent, shown: AgentRevision) {
  const root = createRootRoute();
  const routes = ["/", "/agents/$agentId", "/agents/editor"].map((path) =>
    createRoute({
      getParentRoute: () => root,
      path,
      component: () => <RevisionBar agent={of} revision={shown} revisions={[shown]} tab="tools" />,
    }),
  );
  const router = createRouter({
    routeTree: root.addChildren(routes),
    history: createMemoryHistory({ initialEntries: ["/"] }),
  });
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <RouterProvider router={router as never} />
    </QueryClientProvider>,
  );
  await screen.findByTestId("revision-bar");
  return userEvent.setup();
}

const offered = () =>
  ["validate", "freeze", "promote", "archive", "new-draft"].filter((id) => screen.queryByTestId(id) !== null);

describe("What can become of a revision", () => {
  it.each<[Agent["access"], RevisionState, string[]]>([
    ["viewer", "draft", ["validate"]],
    ["viewer", "live", []],
    ["editor", "draft", ["validate"]],
    ["editor", "live", ["new-draft"]],
    ["owner", "draft", ["validate", "freeze"]],
    ["owner", "ready", ["promote", "archive", "new-draft"]],
    ["owner", "live", ["archive", "new-draft"]],
    ["owner", "archived", ["promote", "new-draft"]],
  ])("for a %s of one that is %s is %j", async (access, state, expected) => {
    serve({});
    await show(agent(access), revision(state));
    expect(offered()).toEqual(expected);
  });

  it("is not frozen while an example fails or a secret is not declared, and the report leads there", async () => {
    const writes = serve({
      "/freeze": {
        status: 422,
        body: {
          status: 422,
          code: "invalid_input",
          title: "x",
          detail: "The revision was not frozen.",
          error: "validation_failed",
          report: {
            ok: false,
            revision_id: "r2",
            revision_state: "draft",
            errors: [
              {
                code: "example_failed",
                message: "The example One of add: it failed.",
                pointer: "/tools/add/examples/0",
              },
              { code: "secret_not_declared", message: "The tool add refers to KEY.", pointer: "/tools/add" },
            ],
            warnings: [{ code: "secret_unused", message: "No tool refers to OLD.", pointer: "/spec/secrets" }],
          },
        },
      },
    });
    const user = await show(agent("owner"), revision("draft"));
    await user.click(screen.getByTestId("freeze"));
    await user.click(await screen.findByTestId("step-confirm"));
    const report = await screen.findByTestId("freeze-report");
    expect(report.textContent).toContain("still a draft");
    expect(screen.getAllByTestId("finding").map(({ dataset }) => dataset.code)).toEqual([
      "example_failed",
      "secret_not_declared",
      "secret_unused",
    ]);
    expect(screen.getAllByRole("link", { name: "Open add" })[0]?.getAttribute("href")).toBe(
      "/agents/editor?agent=a&revision=2&tool=add",
    );
    expect(writes).toEqual([{ path: "/api/agents/a/revisions/r2/freeze", ifMatch: '"7"' }]);
  });

  it("goes live after it was said what becomes different, and for whom", async () => {
    const writes = serve({
      "/revisions/2/bundle": { body: bundleOf(["add", "fresh"]) },
      "/revisions/1/bundle": { body: bundleOf(["add", "gone"]) },
    });
    const user = await show(agent("owner", { liveRevision: { id: "r1", number: 1 } }), revision("ready"));
    await user.click(screen.getByTestId("promote"));
    const changes = await screen.findByTestId("promote-changes");
    expect([...changes.querySelectorAll("li")].map(({ textContent }) => textContent)).toEqual([
      "fresh becomes available as a new tool.",
      "gone is removed. Pending proposals for it are refused.",
    ]);
    expect(screen.getByText(/replaces revision 1/)).toBeDefined();
    expect(screen.getByTestId("promote-audience").textContent).toContain("everybody the agent is shared with");
    await user.click(screen.getByTestId("step-confirm"));
    await vi.waitFor(() => expect(writes).toEqual([{ path: "/api/agents/a/revisions/r2/promote", ifMatch: '"7"' }]));
  });

  it("says what a check has found", async () => {
    serve({
      "/validate": {
        body: {
          ok: false,
          revision_id: "r2",
          revision_state: "draft",
          errors: [{ code: "unknown_tool", message: "There is no tool old.", pointer: "/spec/tools/old" }],
          warnings: [],
        },
      },
    });
    const user = await show(agent("editor"), revision("draft"));
    await user.click(screen.getByTestId("validate"));
    expect((await screen.findByTestId("validation")).textContent).toContain("Cannot be frozen yet");
    expect(screen.getByText("There is no tool old.")).toBeDefined();
  });
});
