import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { ChatTokensPanel } from "./ChatTokensPanel";

it("gives the focus to its heading when a token is revoked, as the button goes with it", async () => {
  let chatTokens = ["Editor", "Notebook"].map((name) => ({
    id: name,
    name,
    createdAt: "2026-11-26T10:00:00Z",
    lastUsedAt: "2026-11-26T10:00:00Z",
    expiresAt: "2027-02-24T10:00:00Z",
  }));
  vi.stubGlobal("fetch", async ({ method, url }: Request) => {
    if (method !== "DELETE") return Response.json({ tokens: chatTokens });
    chatTokens = chatTokens.filter(({ id }) => !url.endsWith(id));
    return new Response(null, { status: 204 });
  });
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <ChatTokensPanel />
    </QueryClientProvider>,
  );
  await userEvent.click(await screen.findByRole("button", { name: "Revoke the token of Editor" }));
  await waitFor(() => expect(screen.queryByText("Editor")).toBeNull());
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole("heading", { name: "Chat tokens" })));
});
