import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { fireEvent, render, screen, waitFor } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import type { ConnectedProgram } from "../api/programs";
import { ProgramsPage } from "./ProgramsPage";

const program: ConnectedProgram = {
  id: "0199aa00-0000-7000-8000-000000000001",
  programId: "0199aa00-0000-7000-8000-000000000002",
  name: "Editor",
  userId: "0199aa00-0000-7000-8000-000000000003",
  userName: "Ada",
  scopes: [],
  createdAt: "2026-11-23T06:00:00Z",
  expiresAt: "2026-12-23T06:00:00Z",
};

/** Serves the page's reads to a user with these rules, and records its writes. */
function serve(rules: string[]): { written: unknown[] } {
  const written: unknown[] = [];
  let trusted: { id: string; name: string }[] = [{ id: "another", name: "Another" }];
  vi.stubGlobal("fetch", async (request: Request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/api/me") return Response.json({ kind: "user", rules });
    if (pathname === "/api/oauth/programs") return Response.json({ programs: [program] });
    if (pathname === "/api/oauth/registration") return Response.json({ enabled: true, revision: 1 });
    if (pathname === "/api/mcp/policy" && request.method === "PUT") {
      const body = (await request.json()) as { trusted: string[] };
      written.push(body);
      trusted = body.trusted.map((id) => ({ id, name: id }));
    }
    if (pathname === "/api/mcp/policy") return Response.json({ trusted, revision: 3 });
    return new Response(null, { status: 404 });
  });
  return { written };
}

const show = () =>
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <ProgramsPage />
    </QueryClientProvider>,
  );

const setting = { name: /May decide for its users/ };

describe("ProgramsPage", () => {
  it("lets a program decide, and keeps the others that may", async () => {
    const { written } = serve(["*"]);
    show();
    const box = await screen.findByRole<HTMLInputElement>("checkbox", setting);
    expect(box.checked).toBe(false);
    fireEvent.click(box);
    await waitFor(() => expect(written).toEqual([{ trusted: ["another", program.programId] }]));
    await waitFor(() => expect(screen.getByRole<HTMLInputElement>("checkbox", setting).checked).toBe(true));
    fireEvent.click(screen.getByRole("checkbox", setting));
    await waitFor(() => expect(written).toHaveLength(2));
    expect(written[1]).toEqual({ trusted: ["another"] });
  });

  it("asks nobody who may not choose", async () => {
    serve(["oauth.program.manage"]);
    show();
    await screen.findByText("Editor");
    await screen.findByRole("checkbox", { name: /register themselves/ });
    expect(screen.queryByRole("checkbox", setting)).toBeNull();
  });
});
