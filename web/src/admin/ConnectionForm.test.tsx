import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { fireEvent, render, screen } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { ConnectionForm } from "./ConnectionForm";

it("says why a server was not asked until another one is typed", async () => {
  vi.stubGlobal("fetch", async () =>
    Response.json({ status: 422, detail: "That address may not be asked." }, { status: 422 }),
  );
  const router = createRouter({
    routeTree: createRootRoute({ component: () => <ConnectionForm onClose={() => {}} /> }),
    history: createMemoryHistory({ initialEntries: ["/"] }),
  });
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
  const address = await screen.findByLabelText("Base URL");
  fireEvent.change(address, { target: { value: "https://one.example/v1" } });
  fireEvent.click(screen.getByTestId("ask-models"));
  await screen.findByText("That address may not be asked.");
  fireEvent.change(address, { target: { value: "https://two.example/v1" } });
  expect(screen.queryByText("That address may not be asked.")).toBeNull();
});
