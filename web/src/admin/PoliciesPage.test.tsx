import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, within } from "@testing-library/react";
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
  });
});
