import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";
import { healthRules, locationsQuery, type Location } from "../api/health";
import { meQuery } from "../api/session";
import { LocationsPage } from "./LocationsPage";

const location = (id: number, name: string): Location => ({
  id,
  name,
  labels: { region: "eu" },
  alive: id === 0,
  processes: id === 0 ? 1 : 0,
  versions: [],
  checks: 2,
});

const sent: string[] = [];

beforeEach(() => {
  sent.length = 0;
  vi.stubGlobal("fetch", async (request: Request) => {
    if (request.method === "GET") return Response.json({ operations: [], locations: [] });
    sent.push(`${request.method} ${new URL(request.url).pathname} ${await request.text()}`);
    return new Response(null, { status: 204 });
  });
});

function show(...rules: string[]) {
  const client = new QueryClient({
    defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY, retry: false } },
  });
  client.setQueryData(locationsQuery.queryKey, [location(0, "main"), location(1, "Frankfurt")]);
  client.setQueryData(meQuery.queryKey, { rules } as never);
  render(
    <QueryClientProvider client={client}>
      <LocationsPage />
    </QueryClientProvider>,
  );
}

it("A location is renamed and removed by those who may", async () => {
  const user = userEvent.setup();
  show(healthRules.locations);
  expect(screen.queryByRole("button", { name: "Rename main" })).toBeNull();
  await user.click(screen.getByRole("button", { name: "Rename Frankfurt" }));
  const name = await screen.findByRole("textbox", { name: "Name" });
  await user.clear(name);
  await user.type(name, " Germany ");
  await user.click(screen.getByRole("button", { name: "Rename" }));
  await vi.waitFor(() => expect(sent).toEqual(['PATCH /api/healthcheck/locations/1 {"name":"Germany"}']));
  await vi.waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
});

it("A location is removed after a question", async () => {
  const user = userEvent.setup();
  show(healthRules.locations);
  await user.click(screen.getByRole("button", { name: "Remove Frankfurt" }));
  expect(sent).toEqual([]);
  await user.click(await screen.findByRole("button", { name: "Remove location" }));
  await vi.waitFor(() => expect(sent).toEqual(["DELETE /api/healthcheck/locations/1 "]));
});

it("Others only see the locations", () => {
  show(healthRules.status);
  expect(screen.getByText("Frankfurt")).toBeDefined();
  expect(screen.queryByRole("button", { name: /Frankfurt/ })).toBeNull();
});
