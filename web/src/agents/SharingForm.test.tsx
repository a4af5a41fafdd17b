import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { SharingForm } from "./SharingForm";
import { relations } from "./sharing";

const Form = () => (
  <SharingForm
    grants={{ private: false, grants: [], revision: 1 }}
    hint="With it nobody else does."
    invalidates={["things"]}
    name="Tickets"
    object={{ type: "mcp.server", id: "s1" }}
    onClose={() => {}}
    relations={relations}
  />
);

/** Opens the form for a user with these rules, and records what it sends. */
function open(rules: string[]) {
  const sent: unknown[] = [];
  const asked: string[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    const { pathname } = new URL(request.url);
    asked.push(pathname);
    if (request.method === "PUT") {
      sent.push(await request.json());
      return Response.json({ private: false, grants: [] });
    }
    if (pathname === "/api/me") return Response.json({ id: "ada", name: "Ada", rules });
    if (pathname === "/api/applications") return Response.json({ applications: [{ id: "ci", name: "Nightly" }] });
    if (pathname === "/api/ai/operations") return Response.json({ operations: [] });
    return Response.json({ teams: [], users: [] });
  });
  const router = createRouter({
    routeTree: createRootRoute({ component: Form }),
    history: createMemoryHistory({ initialEntries: ["/"] }),
  });
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <RouterProvider router={router as never} />
    </QueryClientProvider>,
  );
  return { sent, asked };
}

const add = async () => userEvent.click(await screen.findByTestId("add-grant"));

it("shares with an application, for who manages them", async () => {
  const { sent } = open(["auth.applications.manage"]);
  await add();
  await userEvent.type(await screen.findByRole("combobox", { name: "Person, team or application" }), "Night");
  await userEvent.click(await screen.findByRole("option", { name: "Nightly (application)" }));
  await userEvent.click(screen.getByTestId("form-submit"));
  await vi.waitFor(() =>
    expect(sent).toEqual([
      { private: false, grants: [{ subjectType: "application", subjectId: "ci", relation: "viewer" }] },
    ]),
  );
});

it("neither asks for applications nor speaks of them for anybody else", async () => {
  const { asked } = open([]);
  await add();
  await screen.findByRole("combobox", { name: "Person or team" });
  expect(asked).toContain("/api/me");
  expect(asked).not.toContain("/api/applications");
});
