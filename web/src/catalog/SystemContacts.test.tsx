import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import type { System } from "../api/catalog";
import { meQuery, type Principal } from "../api/session";
import { SystemContacts } from "./SystemContacts";

const system = { id: "s1", name: "Ledger", contacts: [] as System["contacts"] } as System;

it.each([
  [["catalog.system.manage"], false],
  [["catalog.system.manage", "auth.users.manage"], true],
  [["*"], true],
])("whoever holds %j is offered people as contacts: %s", async (rules, offered) => {
  vi.stubGlobal("fetch", async () => Response.json({ operations: [] }));
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  client.setQueryData(meQuery.queryKey, { id: "me", name: "Ada", kind: "user", rules } as Principal);
  const rootRoute = createRootRoute({ component: () => <SystemContacts editable system={system} /> });
  const router = createRouter({ routeTree: rootRoute, history: createMemoryHistory() });
  render(
    <QueryClientProvider client={client}>
      <RouterProvider router={router as never} />
    </QueryClientProvider>,
  );
  await userEvent.click(await screen.findByRole("button", { name: "Add contact" }));
  await screen.findByRole("option", { name: "Pager" });
  expect(screen.queryAllByRole("option", { name: "Person with an account" })).toHaveLength(offered ? 1 : 0);
});
