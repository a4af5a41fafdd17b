import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { render, screen, waitFor } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import type { Check, Kinds } from "../../api/health";
import { CheckEditor } from "./CheckEditor";

const kinds: Kinds = {
  operators: {},
  strategies: [
    { id: "healthcheck-ping.ping", name: "Ping", description: "", version: 1, configSchema: {}, collectors: [] },
  ],
};
const stored: Check = {
  id: "c",
  name: "Homepage",
  description: "",
  strategyId: "healthcheck-ping.ping",
  config: {},
  intervalSeconds: 60,
  collectors: [],
  keptFields: [],
  paused: false,
  secrets: [],
  systems: 0,
  access: "owner",
  revision: 1,
  createdAt: "",
  updatedAt: "",
};

function open(check?: Check) {
  const router = createRouter({
    routeTree: createRootRoute({
      component: () => <CheckEditor check={check} kinds={kinds} person="ada" systemId="" />,
    }),
    history: createMemoryHistory({ initialEntries: ["/"] }),
  });
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <RouterProvider router={router as never} />
    </QueryClientProvider>,
  );
  return screen.findByRole<HTMLInputElement>("textbox", { name: "Name" });
}

beforeEach(() =>
  vi.stubGlobal("fetch", async () =>
    Response.json({ rules: [], systems: [], environments: [], secrets: [], locations: [] }),
  ),
);

it("begins a new check at its name", async () => {
  const name = await open();
  await waitFor(() => expect(document.activeElement).toBe(name));
});

it("takes the focus from nobody who has it elsewhere", async () => {
  const field = document.body.appendChild(document.createElement("input"));
  field.focus();
  await open();
  expect(document.activeElement).toBe(field);
  field.remove();
});

it("leaves the focus where it is where a check is changed", async () => {
  const name = await open(stored);
  expect(name.value).toBe("Homepage");
  expect(document.activeElement).toBe(document.body);
});
