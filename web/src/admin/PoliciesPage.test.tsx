import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { fireEvent, render, screen, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import type { ToolPolicy } from "../api/policies";
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
    expect(own.labels?.[0]?.textContent).toMatch(/decides alone/);
    expect((await second("catalog.createSystem")).disabled).toBe(false);
    expect(screen.getByRole("region", { name: "Catalog" }).textContent).toContain("1 tool");
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
    expect(await auto("catalog.createSystem")).toMatch(/happens at once/);
    expect(await auto("catalog.deleteSystem")).toMatch(/asks all the same, as it removes something/);
    expect(await auto("catalog.deleteGroup")).toMatch(/another person decides/);
    fireEvent.click(screen.getByTestId("all-destructive-second"));
    await screen.findByText(/All 3 tools that remove something need a second person/);
    expect(sent).toEqual([
      '/api/ai/policies/second-person {"tools":[{"tool":"catalog.deleteSystem","revision":1},{"tool":"auth.deleteUser","revision":1}]}',
    ]);
  });

  it("says that too few could decide in words for people", async () => {
    const policies: ToolPolicy[] = [{ ...policy("catalog.deleteSystem", false), effect: "destructive" }];
    const detail =
      "Fewer than two people hold it. Give it to somebody else first, or send anyway: true to set it all the same.";
    vi.stubGlobal("fetch", async (request: Request) =>
      request.method === "POST"
        ? Response.json({ status: 409, title: "Conflict", detail }, { status: 409 })
        : Response.json({ policies }),
    );
    render(
      <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
        <PoliciesPage />
      </QueryClientProvider>,
    );
    fireEvent.click(await screen.findByTestId("all-destructive-second"));
    const error = await screen.findByTestId("error");
    expect(error.textContent).toMatch(/Give it to somebody else first, or ask for it all the same\.$/);
    screen.getByRole("button", { name: "Ask for a second person all the same" });
  });
});
