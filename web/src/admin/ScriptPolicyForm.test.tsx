import { QueryClient, QueryClientProvider, useQuery } from "@tanstack/react-query";
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { fireEvent, render, screen, waitFor } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { scriptPolicyQuery, type StoredScriptPolicy } from "../api/scriptpolicy";
import { ScriptPolicyForm } from "./ScriptPolicyForm";

const limits = {
  timeoutMs: 10_000,
  memoryBytes: 64 << 20,
  outputBytes: 1 << 16,
  resultBytes: 1 << 16,
  hostCalls: 10,
  hostBytes: 1 << 20,
};

function Form() {
  const { data } = useQuery(scriptPolicyQuery);
  return data ? <ScriptPolicyForm policy={data} /> : null;
}

it("keeps what is typed while it saves, and saves it next", async () => {
  let stored: StoredScriptPolicy = {
    network: "off",
    allow: [],
    test: limits,
    run: limits,
    revision: 1,
    downgraded: false,
  };
  const { promise, resolve: goOn } = Promise.withResolvers<void>();
  vi.stubGlobal("fetch", async (request: Request) => {
    if (request.method === "GET") return Response.json(stored);
    await promise;
    stored = { ...stored, ...((await request.json()) as StoredScriptPolicy), revision: stored.revision + 1 };
    return Response.json(stored);
  });
  const router = createRouter({
    routeTree: createRootRoute({ component: Form }),
    history: createMemoryHistory({ initialEntries: ["/"] }),
  });
  const { container } = render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
  const save = await screen.findByTestId("save-script-policy");
  const field = (name: string) => container.querySelector<HTMLInputElement>(`[name="${name}"]`)!;
  const type = (name: string, value: string) => fireEvent.change(field(name), { target: { value } });
  type("test.timeoutMs", "12");
  fireEvent.click(save);
  // It is under way.
  await waitFor(() => expect(save.getAttribute("aria-busy")).toBe("true"));
  type("test.hostCalls", "7");
  goOn();
  await waitFor(() => expect(stored.revision).toBe(2));
  await waitFor(() => expect(save.getAttribute("aria-busy")).toBeNull());
  expect([field("test.timeoutMs").value, field("test.hostCalls").value]).toEqual(["12", "7"]);
  expect(screen.queryByTestId("form-conflict")).toBeNull();
  fireEvent.click(save);
  await waitFor(() => expect(stored).toMatchObject({ revision: 3, test: { timeoutMs: 12_000, hostCalls: 7 } }));
});
