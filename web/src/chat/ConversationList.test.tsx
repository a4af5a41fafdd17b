import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import type { ConversationSummary } from "../api/conversations";
import { ConversationList } from "./ConversationList";

const chat = (title: string): ConversationSummary => ({
  id: title,
  title,
  connectionId: null,
  model: null,
  permissionMode: "approve",
  activeTurnId: null,
  createdAt: "2026-01-01T00:00:00Z",
  updatedAt: "2026-01-01T00:00:00Z",
});

function show() {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const router = createRouter({
    routeTree: createRootRoute({
      component: () => <ConversationList activeId={undefined} onNewChat={() => {}} onOpened={() => {}} />,
    }),
    history: createMemoryHistory({ initialEntries: ["/"] }),
  });
  render(
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
  return client;
}

it("shows more chats page by page, open and deleted ones", async () => {
  const asked: string[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    const { searchParams } = new URL(request.url);
    const list = searchParams.get("archived") === "true" ? "deleted" : "open";
    const cursor = searchParams.get("cursor");
    asked.push(`${list} ${cursor ?? "first"}`);
    return Response.json(
      cursor
        ? { conversations: [chat(`${list} old`)] }
        : { conversations: [chat(`${list} new`)], nextCursor: "behind" },
    );
  });
  show();
  for (const list of ["open", "deleted"]) {
    if (list === "deleted") await userEvent.click(screen.getByTestId("toggle-archived"));
    await screen.findByText(`${list} new`);
    expect(screen.queryByText(`${list} old`)).toBeNull();
    await userEvent.click(screen.getByRole("button", { name: "Show more" }));
    await screen.findByText(`${list} old`);
    expect(screen.getByText(`${list} new`)).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Show more" })).toBeNull();
  }
  expect(asked).toEqual(["open first", "open behind", "deleted first", "deleted behind"]);
});

it("keeps the new name that is typed for one chat when another has got its own", async () => {
  const { promise, resolve: goOn } = Promise.withResolvers<void>();
  const stored = [chat("first"), chat("second")];
  vi.stubGlobal("fetch", async (request: Request) => {
    if (request.method === "GET") return Response.json({ conversations: stored });
    await promise;
    stored[0] = { ...chat("first"), title: "One" };
    return Response.json(stored[0]);
  });
  const client = show();
  await userEvent.click(await screen.findByRole("button", { name: "Rename first" }));
  await userEvent.clear(screen.getByTestId("rename-input"));
  await userEvent.type(screen.getByTestId("rename-input"), "One");
  // Leaving the field saves it.
  await userEvent.click(screen.getByRole("button", { name: "Rename second" }));
  await userEvent.type(screen.getByTestId("rename-input"), " and more");
  goOn();
  await screen.findByText("One");
  await waitFor(() => expect(client.isMutating()).toBe(0));
  expect(screen.getByTestId<HTMLInputElement>("rename-input").value).toBe("second and more");
});
