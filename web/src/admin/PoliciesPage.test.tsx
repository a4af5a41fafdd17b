import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import type { ToolPolicy } from "../api/policies";
import type { ProblemDocument } from "../api/problem";
import { readAgain } from "../changes/follow";
import { PoliciesPage } from "./PoliciesPage";

const policy = (toolName: string, own: boolean): ToolPolicy => ({
  toolName,
  own,
  description: "",
  effect: "mutate",
  enabled: true,
  alwaysConfirm: false,
  twoPerson: false,
  revision: 1,
});

const second = async (tool: string) =>
  within(await screen.findByTestId(`policy-${tool}`)).getByRole<HTMLInputElement>("checkbox", {
    name: /Needs a second person/,
  });

const auto = async (tool: string) => (await screen.findByTestId(`auto-${tool}`)).textContent;

const boxes = (tool: string) =>
  within(screen.getByTestId(`policy-${tool}`))
    .getAllByRole<HTMLInputElement>("checkbox")
    .map(({ labels }) => labels?.[0]?.textContent);

describe("PoliciesPage", () => {
  it("offers no second person for what is about its proposer alone", async () => {
    const policies = [policy("ai.saveMemory", true), policy("catalog.createSystem", false)];
    vi.stubGlobal("fetch", async () => Response.json({ policies }));
    render(
      <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
        <PoliciesPage />
      </QueryClientProvider>,
    );
    const own = await second("ai.saveMemory");
    expect(own.disabled).toBe(true);
    expect(own.labels?.[0]?.textContent).toMatch(/own data/);
    expect((await second("catalog.createSystem")).disabled).toBe(false);
    expect(screen.getByRole("region", { name: "Catalog" }).textContent).toContain("1 tool");
  });

  it("names administrative operations by what they do", async () => {
    const policies: ToolPolicy[] = [
      { ...policy("vault.deleteSecret", false), title: "Delete a secret", byHand: true, effect: "destructive" },
      { ...policy("vault.createSecret", false), title: "Create a secret", byHand: true },
      { ...policy("auth.createTeam", false), title: "Create a team" },
    ];
    vi.stubGlobal("fetch", async () => Response.json({ policies }));
    render(
      <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
        <PoliciesPage />
      </QueryClientProvider>,
    );
    expect(await auto("vault.deleteSecret")).toBe("Only signed-in users can do this.");
    expect(await auto("auth.createTeam")).toBe("Not available to the assistant.");
    // It does not run in auto mode, and nobody but a person does the other.
    expect(boxes("auth.createTeam")).toEqual(["Enabled", "Ask when an application calls it", "Needs a second person"]);
    expect(boxes("vault.createSecret")).toEqual(["Enabled", "Needs a second person"]);
    expect(screen.getByRole("region", { name: "Secrets" }).textContent).toContain("Delete a secret");
  });

  it("asks for a second person for all that removes something, and says what auto mode does", async () => {
    const policies: ToolPolicy[] = [
      { ...policy("catalog.deleteSystem", false), effect: "destructive" },
      { ...policy("catalog.deleteGroup", false), effect: "destructive", twoPerson: true },
      { ...policy("auth.deleteUser", false), effect: "destructive" },
      policy("catalog.createSystem", false),
    ];
    const sent: string[] = [];
    vi.stubGlobal("fetch", async (request: Request) => {
      if (request.method !== "POST") return Response.json({ policies });
      sent.push(`${new URL(request.url).pathname} ${await request.text()}`);
      const changed = policies.filter(({ effect, twoPerson }) => effect === "destructive" && !twoPerson);
      for (const one of changed) one.twoPerson = true;
      return Response.json({ policies: changed });
    });
    render(
      <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
        <PoliciesPage />
      </QueryClientProvider>,
    );
    expect(await auto("catalog.createSystem")).toMatch(/runs without asking/);
    expect(await auto("catalog.deleteSystem")).toMatch(/Always asks, also in auto mode, because it is destructive/);
    expect(await auto("catalog.deleteGroup")).toMatch(/another person approves/);
    fireEvent.click(screen.getByTestId("all-destructive-second"));
    await screen.findByText(/All 3 destructive tools need a second person/);
    expect(sent).toEqual([
      '/api/ai/policies/second-person {"tools":[{"tool":"catalog.deleteSystem","revision":1},{"tool":"auth.deleteUser","revision":1}]}',
    ]);
  });

  it("says that too few could decide in words for people, and asks for it all the same", async () => {
    const policies: ToolPolicy[] = [{ ...policy("catalog.deleteSystem", false), effect: "destructive" }];
    const why = "Fewer than two people hold catalog.system.manage, so nobody could apply what another user proposes.";
    const sent: unknown[] = [];
    refuses(policies, sent, {
      // Whatever the words for programs are.
      detail: `${why} A program sends it with a member more.`,
      issues: [{ path: "anyway", message: why }],
    });
    fireEvent.click(await screen.findByTestId("all-destructive-second"));
    const all = within(screen.getByTestId("all-destructive"));
    const words = `${why} Give it to another user first, or continue anyway.`;
    expect((await all.findByTestId("error")).textContent).toBe(words);
    fireEvent.click(all.getByRole("button", { name: "Require a second person anyway" }));
    await waitFor(() => expect(sent).toHaveLength(2));

    fireEvent.click(await second("catalog.deleteSystem"));
    await waitFor(() => expect(screen.getAllByText(words)).toHaveLength(2));
    const [, own] = screen.getAllByRole("button", { name: "Require a second person anyway" });
    fireEvent.click(own as HTMLElement);
    await waitFor(() => expect(sent).toHaveLength(4));
    const tools = [{ tool: "catalog.deleteSystem", revision: 1 }];
    expect(sent).toEqual([{ tools }, { tools, anyway: true }, { twoPerson: true }, { twoPerson: true, anyway: true }]);
  });

  it("shows the change that waits at its row, makes no second one, and goes on when it is decided", async () => {
    const one: ToolPolicy = { ...policy("catalog.createSystem", false), twoPerson: true };
    const proposal = {
      proposalId: "p1",
      toolName: "ai.setToolPolicy",
      summary: "Change the policy of catalog.createSystem: no longer ask for a second person",
      status: "proposed",
      link: "/proposals?proposal=p1",
      detail: "It waits.",
      payload: { tool: "catalog.createSystem", twoPerson: false },
    };
    let proposals: unknown[] = [];
    const sent: unknown[] = [];
    vi.stubGlobal("fetch", async (request: Request) => {
      if (request.method === "PATCH") {
        sent.push(await request.json());
        proposals = [proposal];
        return Response.json(proposal, { status: 202 });
      }
      if (new URL(request.url).pathname === "/api/ai/proposals") return Response.json({ proposals });
      return Response.json({ policies: [one, policy("catalog.createGroup", false)] });
    });
    const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
    render(
      <QueryClientProvider client={client}>
        <PoliciesPage />
      </QueryClientProvider>,
    );
    const box = await second("catalog.createSystem");
    box.focus();
    fireEvent.click(box);
    const waits = await screen.findByTestId("policy-waits");
    expect(waits.textContent).toContain("no longer ask for a second person");
    expect(within(waits).getByRole("link", { name: "Open the proposal" }).getAttribute("href")).toBe(
      "/proposals?status=all&proposal=p1",
    );
    fireEvent.click(box);
    expect(box.getAttribute("aria-disabled")).toBe("true");
    expect(document.activeElement).toBe(box);
    await waitFor(() => expect(client.isFetching() + client.isMutating()).toBe(0));
    fireEvent.click(box);
    expect(screen.getAllByTestId("policy-waits")).toHaveLength(1);
    // Only what waits is held: the rest of the policy can be changed.
    expect((await second("catalog.createGroup")).getAttribute("aria-disabled")).toBeNull();
    expect(sent).toEqual([{ twoPerson: false }]);

    proposals = [];
    one.twoPerson = false;
    readAgain(client, [{ kind: "proposal", id: "p1" }]);
    await waitFor(() => expect(screen.queryByTestId("policy-waits")).toBeNull());
    await waitFor(() => expect(box.checked).toBe(false));
    fireEvent.click(box);
    await waitFor(() => expect(sent).toHaveLength(2));
  });

  it("offers to ask all the same where that would help, and not for another conflict", async () => {
    const policies: ToolPolicy[] = [{ ...policy("catalog.deleteSystem", false), effect: "destructive" }];
    refuses(policies, [], { detail: "The request is being answered already. Wait a moment." });
    fireEvent.click(await screen.findByTestId("all-destructive-second"));
    expect((await screen.findByTestId("error")).textContent).toBe(
      "The request is being answered already. Wait a moment.",
    );
    expect(screen.queryByRole("button", { name: "Require a second person anyway" })).toBeNull();
  });
});

/** Shows policies whose changes are refused as conflicts, and takes down what was sent. */
function refuses(policies: ToolPolicy[], sent: unknown[], document: Partial<ProblemDocument>) {
  vi.stubGlobal("fetch", async (request: Request) => {
    if (request.method === "GET") return Response.json({ policies });
    sent.push(await request.json());
    return Response.json({ status: 409, title: "Conflict", code: "conflict", ...document }, { status: 409 });
  });
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <PoliciesPage />
    </QueryClientProvider>,
  );
}
