import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import type { System } from "../api/catalog";
import { meQuery, type Principal } from "../api/session";
import { SystemContacts } from "./SystemContacts";

/** Shows the contacts of a system to a user with these rules. */
function show(rules: string[]) {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  client.setQueryData(meQuery.queryKey, { id: "me", name: "Ada", kind: "user", rules } as Principal);
  const rootRoute = createRootRoute({ component: () => <SystemContacts editable system={system} /> });
  const router = createRouter({ routeTree: rootRoute, history: createMemoryHistory() });
  render(
    <QueryClientProvider client={client}>
      <RouterProvider router={router as never} />
    </QueryClientProvider>,
  );
}

const system = { id: "s1", name: "Ledger", contacts: [] as System["contacts"] } as System;

it.each([
  [["catalog.system.manage"], false],
  [["catalog.system.manage", "auth.users.manage"], true],
  [["*"], true],
])("whoever holds %j is offered people as contacts: %s", async (rules, offered) => {
  vi.stubGlobal("fetch", async () => Response.json({ operations: [] }));
  show(rules);
  await userEvent.click(await screen.findByRole("button", { name: "Add contact" }));
  await screen.findByRole("option", { name: "Pager" });
  expect(screen.queryAllByRole("option", { name: "Person with an account" })).toHaveLength(offered ? 1 : 0);
});

/** Server that lists only Ada until searched for others; it records the searches. */
function people(more: boolean) {
  const searched: (string | null)[] = [];
  const sent: unknown[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    const { pathname, searchParams } = new URL(request.url);
    if (request.method === "POST") {
      sent.push(await request.json());
      return Response.json({});
    }
    if (pathname !== "/api/users") return Response.json({ operations: [] });
    const search = searchParams.get("search");
    searched.push(search);
    if (search === null) {
      const users = [{ id: "u1", name: "Ada", email: "ada@example.org" }];
      return Response.json({ users, ...(more && { nextCursor: "after-ada" }) });
    }
    const zoe = { id: "u2", name: "Zoe", email: "z.last@example.org" };
    return Response.json({ users: `${zoe.name} ${zoe.email}`.toLowerCase().includes(search) ? [zoe] : [] });
  });
  return { searched, sent };
}

async function pick() {
  show(["*"]);
  await userEvent.click(await screen.findByRole("button", { name: "Add contact" }));
  await userEvent.selectOptions(await screen.findByLabelText("Kind"), "user");
  return screen.findByRole<HTMLInputElement>("combobox", { name: "Person" });
}

it.each([
  ["name", "zoe"],
  ["address", "z.last@"],
])("finds by their %s on the server who is not among the first people", async (_, text) => {
  const { searched, sent } = people(true);
  const field = await pick();
  await userEvent.click(field);
  await screen.findByRole("option", { name: /Ada/ });
  expect(searched).toEqual([null]);
  await userEvent.type(field, text);
  await userEvent.click(await screen.findByRole("option", { name: /Zoe/ }));
  expect(field.value).toBe("Zoe");
  // A found person can be chosen again.
  await userEvent.clear(field);
  await userEvent.type(field, "nobody");
  await screen.findByText("Nothing matches.");
  expect(searched.at(-1)).toBe("nobody");
  await userEvent.clear(field);
  await userEvent.click(await screen.findByRole("option", { name: /Zoe/ }));
  await userEvent.click(screen.getByTestId("form-submit"));
  await waitFor(() => expect(sent).toHaveLength(1));
  expect(sent).toMatchObject([{ type: "user", userId: "u2" }]);
});

it("looks through all people here where the first of them are all", async () => {
  const { searched } = people(false);
  const field = await pick();
  await userEvent.click(field);
  await screen.findByRole("option", { name: /Ada/ });
  await userEvent.type(field, "zoe");
  await screen.findByText("Nothing matches.");
  await userEvent.clear(field);
  await userEvent.type(field, "ada@example");
  await screen.findByRole("option", { name: /Ada/ });
  expect(searched).toEqual([null]);
});
