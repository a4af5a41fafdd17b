import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { fireEvent, render, screen } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { ConnectionForm } from "./ConnectionForm";

function show() {
  const router = createRouter({
    routeTree: createRootRoute({ component: () => <ConnectionForm onClose={() => {}} /> }),
    history: createMemoryHistory({ initialEntries: ["/"] }),
  });
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
}

it("says why a server was not asked until another one is typed", async () => {
  vi.stubGlobal("fetch", async () =>
    Response.json({ status: 422, detail: "That address may not be asked." }, { status: 422 }),
  );
  show();
  const address = await screen.findByLabelText("Base URL");
  fireEvent.change(address, { target: { value: "https://one.example/v1" } });
  fireEvent.click(screen.getByTestId("ask-models"));
  await screen.findByText("That address may not be asked.");
  fireEvent.change(address, { target: { value: "https://two.example/v1" } });
  expect(screen.queryByText("That address may not be asked.")).toBeNull();
});

it("takes the address at which the provider answers, and asks there", async () => {
  const asked: unknown[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    const { baseUrl } = await request.json();
    asked.push(baseUrl);
    return Response.json(
      baseUrl.endsWith("/v1")
        ? { outcome: "listed", message: "The provider lists one model.", models: [{ id: "m" }] }
        : { outcome: "noList", message: "There is no list.", models: [], correctedUrl: `${baseUrl}/v1` },
    );
  });
  show();
  const address = await screen.findByLabelText<HTMLInputElement>("Base URL");
  fireEvent.change(address, { target: { value: "https://one.example" } });
  fireEvent.click(screen.getByTestId("ask-models"));
  fireEvent.click(await screen.findByText("Use https://one.example/v1"));
  await screen.findByText(/The provider lists one model/);
  expect(address.value).toBe("https://one.example/v1");
  expect(asked).toEqual(["https://one.example", "https://one.example/v1"]);
  expect(screen.queryByTestId("use-corrected-url")).toBeNull();
});
