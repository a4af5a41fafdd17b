import { QueryClient, QueryClientProvider, useQuery } from "@tanstack/react-query";
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { bundleQuery, type Agent, type AgentTool, type BundleOf, type DryRun } from "../../api/agents";
import type { ScriptContext } from "../../api/scripts";
import { ToolStudio } from "./ToolStudio";

// The editor of code needs a layout, which there is none of here.
vi.mock("../../scripts/Editor", () => ({
  Editor: ({ label, initial, onChange, readOnly }: Record<string, unknown>) => (
    <textarea
      aria-label={label as string}
      defaultValue={initial as string}
      onChange={(event) => (onChange as (text: string) => void)(event.currentTarget.value)}
      readOnly={readOnly === true}
    />
  ),
}));

const capabilities = { secret_refs: ["API_KEY"], dynamic_secret_refs: false, modules: [], actions: ["default"] };
const tool: AgentTool = {
  id: "add",
  description: "Adds.",
  args_schema: { type: "object", properties: { a: { type: "number" } } },
  effect: "read",
  source: "stored",
  source_sha256: "",
  capabilities,
  compiler: "",
  warnings: [],
  examples: [{ name: "One", args: { a: 1 }, expect: { ok: true, result: { sum: 1 } } }],
};
const agent = { id: "a", name: "Desk", slug: "desk", access: "editor" } as Agent;
const context = { declarations: "", starterExample: "// example" } as ScriptContext;

class Server {
  bundle: BundleOf = {
    revision_id: "r",
    state: "draft",
    revision: 1,
    warnings: [],
    bundle: { agent_md: "", skills: [], tools: [tool], spec: { secrets: [{ name: "API_KEY", allowed_hosts: ["a"] }] } },
  };
  puts: { ifMatch: string | null; body: Record<string, unknown> }[] = [];
  runs: Record<string, unknown>[] = [];
  answer: DryRun = {
    tool_id: "add",
    ok: true,
    result: { sum: 1 },
    logs: [],
    limits_hit: [],
    duration_ms: 3,
    would_ask: { approval: true },
    warnings: [],
  };
  diagnostics: object[] = [];

  change(next: Partial<AgentTool>): void {
    const { bundle } = this.bundle;
    this.bundle = {
      ...this.bundle,
      revision: this.bundle.revision + 1,
      bundle: { ...bundle, tools: [{ ...(bundle.tools[0] as AgentTool), ...next }] },
    };
  }

  start(): void {
    vi.stubGlobal("fetch", async (request: Request) => {
      const { pathname } = new URL(request.url);
      if (pathname.endsWith("/bundle")) return Response.json(this.bundle);
      const body = JSON.parse((await request.text()) || "null") as Record<string, unknown>;
      if (pathname.endsWith("/check"))
        return Response.json({
          ok: this.diagnostics.length === 0,
          tool_id: "add",
          checked: true,
          diagnostics: this.diagnostics,
          capabilities,
        });
      if (pathname.endsWith("/dry_run")) {
        this.runs.push(body);
        return Response.json(this.answer);
      }
      const ifMatch = request.headers.get("if-match");
      this.puts.push({ ifMatch, body });
      if (ifMatch !== `"${this.bundle.revision}"`)
        return Response.json(
          { status: 412, code: "revision_mismatch", title: "x", detail: "Outdated." },
          { status: 412 },
        );
      if (this.diagnostics.length > 0)
        return Response.json(
          { status: 422, code: "invalid_input", title: "x", detail: "It has errors.", errors: this.diagnostics },
          { status: 422 },
        );
      this.change(
        pathname.endsWith("/examples") ? { examples: body.examples as AgentTool["examples"] } : (body as object),
      );
      return Response.json({ ok: true });
    });
  }
}

let server: Server;
beforeEach(() => {
  localStorage.clear();
  server = new Server();
  server.start();
});

/** The studio over what the server has. */
async function open(access: Agent["access"] = "editor") {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  function Page() {
    const { data } = useQuery(bundleQuery({ agent: "a", rev: "1" }));
    return data ? (
      <ToolStudio agent={{ ...agent, access }} bundle={data} context={context} number={1} person="ada" toolId="add" />
    ) : null;
  }
  const router = createRouter({
    routeTree: createRootRoute({ component: Page }),
    history: createMemoryHistory({ initialEntries: ["/"] }),
  });
  render(
    <QueryClientProvider client={client}>
      <RouterProvider router={router as never} />
    </QueryClientProvider>,
  );
  await screen.findByLabelText("Source of add");
  return userEvent.setup();
}

const source = () => screen.getByLabelText<HTMLTextAreaElement>("Source of add");

describe("The tool studio", () => {
  it("saves what was typed, and keeps it in the browser until then", async () => {
    const user = await open();
    await user.type(source(), " and more");
    await waitFor(() => expect(localStorage.getItem("countersign.tool.ada.a.r.add")).toContain("stored and more"));
    await user.click(screen.getByTestId("save-tool"));
    await waitFor(() => expect(screen.getByTestId("save-state").textContent).toBe("Saved"));
    expect(server.puts).toEqual([
      {
        ifMatch: '"1"',
        body: { description: "Adds.", args_schema: tool.args_schema, source: "stored and more", effect: "read" },
      },
    ]);
    expect(localStorage.getItem("countersign.tool.ada.a.r.add")).toBeNull();
  });

  it("asks for a description before it sends anything", async () => {
    const user = await open();
    const description = screen.getByLabelText("Description");
    await user.clear(description);
    await user.click(screen.getByTestId("save-tool"));
    expect(await screen.findByText("Say what the tool does, so that the assistant finds it.")).toBeTruthy();
    expect(document.activeElement).toBe(description);
    expect(server.puts).toEqual([]);
    await user.type(description, "Adds up.");
    await user.click(screen.getByTestId("save-tool"));
    await waitFor(() => expect(server.puts).toHaveLength(1));
  });

  it("offers what was left here", async () => {
    localStorage.setItem(
      "countersign.tool.ada.a.r.add",
      JSON.stringify({ description: "Left", schema: "{}", source: "left", effect: "mutate" }),
    );
    const user = await open();
    await user.click(screen.getByRole("button", { name: "Restore draft" }));
    expect(screen.getByLabelText<HTMLTextAreaElement>("Description").value).toBe("Left");
    expect(screen.getByTestId("save-state").textContent).toBe("Not saved");
  });

  it("writes again by itself when only another part of the revision was written", async () => {
    const user = await open();
    await user.type(source(), "!");
    server.bundle = { ...server.bundle, revision: 5 };
    await user.click(screen.getByTestId("save-tool"));
    await waitFor(() => expect(server.puts.map(({ ifMatch }) => ifMatch)).toEqual(['"1"', '"5"']));
    await waitFor(() => expect(screen.getByTestId("save-state").textContent).toBe("Saved"));
    expect(screen.queryByTestId("form-conflict")).toBeNull();
  });

  it("shows theirs and mine when somebody else has written the same tool, and takes either", async () => {
    const user = await open();
    await user.clear(source());
    await user.type(source(), "mine");
    server.change({ source: "theirs", description: "Theirs." });
    await user.click(screen.getByTestId("save-tool"));
    const both = await screen.findByTestId("both-changed");
    expect(within(both).getByText("theirs").tagName).toBe("DEL");
    expect(within(both).getByText("mine").tagName).toBe("INS");
    expect(source().value).toBe("mine");
    expect(screen.getByLabelText<HTMLTextAreaElement>("Description").value).toBe("Theirs.");
    const field = screen.getByTestId("conflict-field");
    const side = (name: RegExp) => within(field).getByRole<HTMLInputElement>("radio", { name });
    expect(side(/^Mine/).checked).toBe(true);
    await user.click(side(/^Theirs/));
    expect(side(/^Theirs/).checked).toBe(true);
    await user.click(side(/^Mine/));
    expect(side(/^Mine/).checked).toBe(true);
    await user.click(screen.getByTestId("save-tool"));
    await waitFor(() => expect(server.bundle.bundle.tools[0]?.source).toBe("mine"));
    await waitFor(() => expect(screen.queryByTestId("form-conflict")).toBeNull());
  });

  it("says what is wrong, what to do instead, and that nothing was saved", async () => {
    server.diagnostics = [
      {
        code: "banned_eval",
        severity: "error",
        message: "Makes code.",
        hint: "Write it.",
        line: 1,
        column: 1,
        end_line: 1,
        end_column: 2,
      },
    ];
    const user = await open();
    const problem = await screen.findByTestId("script-problem");
    expect(problem.textContent).toContain("Makes code.Write it.");
    expect(problem.textContent).toContain("banned_eval");
    await user.type(source(), "!");
    await user.click(screen.getByTestId("save-tool"));
    expect((await screen.findByTestId("error")).textContent).toContain("Nothing was saved.");
    expect(server.bundle.bundle.tools[0]?.source).toBe("stored");
  });

  it("runs what stands in the editor, with stand-ins for secrets", async () => {
    const user = await open();
    await user.click(screen.getByTestId("dry-run"));
    await screen.findByText("Finished");
    expect(server.runs).toEqual([{ args: {} }]);
    expect(screen.queryByText(/^Live calls/)).toBeNull();
    await user.click(screen.getByTestId("effect-mutate"));
    await screen.findByText("Live calls need approval.");
    await user.click(screen.getByTestId("effect-read"));
    await user.type(source(), "!");
    await screen.findByText(/The tool has changed since/);
    await user.type(screen.getByLabelText("API_KEY"), "something-else");
    await user.click(screen.getByTestId("dry-run"));
    await waitFor(() =>
      expect(server.runs[1]).toEqual({
        args: {},
        mock_secrets: { API_KEY: "something-else" },
        source: "stored!",
        args_schema: tool.args_schema,
      }),
    );
  });

  it("runs the examples, and says which one comes out otherwise", async () => {
    const user = await open();
    await user.click(screen.getByTestId("run-examples"));
    await screen.findByText("1 of 1 as expected.");
    server.answer = { ...server.answer, result: { sum: 2 } };
    await user.click(screen.getByTestId("run-examples"));
    await screen.findByText("0 of 1 as expected.");
    expect(screen.getByTestId("example").dataset.verdict).toBe("failed");
  });

  it("keeps a run as an example, also one that fails", async () => {
    const user = await open();
    server.answer = {
      ...server.answer,
      ok: false,
      error: { code: "tool_invoke_failed", message: "no luck", line: 1, column: 1, stack: [] },
      logs: [{ level: "info", message: "hello", meta: { a: 1 } }],
    };
    await user.click(screen.getByTestId("dry-run"));
    expect((await screen.findByTestId("run-error")).textContent).toContain("No luck.");
    expect(screen.getByTestId("script-logs").textContent).toContain('hello {"a":1}');
    await user.click(screen.getByTestId("save-example"));
    await user.type(await screen.findByLabelText("Name of the example"), "{Enter}");
    await waitFor(() =>
      expect(server.bundle.bundle.tools[0]?.examples[1]).toEqual({
        name: "Example 2",
        args: {},
        expect: { ok: false, error_code: "tool_invoke_failed" },
      }),
    );
  });

  it("can be read and tried by viewers, who change nothing", async () => {
    await open("viewer");
    expect(source().readOnly).toBe(true);
    expect(screen.queryByTestId("save-tool")).toBeNull();
    expect(screen.queryByTestId("save-example")).toBeNull();
    expect(screen.getByTestId("dry-run")).toBeDefined();
  });
});
