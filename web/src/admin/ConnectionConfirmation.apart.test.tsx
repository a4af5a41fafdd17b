import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { fireEvent, render, screen, waitFor } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import type { Connection } from "../api/connections";
import { meQuery, type Principal } from "../api/session";
import { ConnectionConfirmation } from "./ConnectionConfirmation";

const toast = vi.fn<(text: string) => void>();
vi.mock("../ui/Toast", () => ({ useToast: () => toast }));

const connection = (unconfirmedChangesBy: string[]): Connection => ({
  id: "1",
  name: "Local",
  kind: "openai-compatible",
  baseUrl: "http://localhost:11434/v1",
  hasKey: false,
  defaultModel: "m",
  availableModels: [],
  modelFamily: "generic",
  disableTopicalClassifier: false,
  enabled: true,
  isDefault: true,
  unconfirmedChangesBy,
  lessons: [],
  figures: [],
  extraHeaderNames: [],
  streaming: "auto",
  textCalls: "auto",
  revision: 7,
  createdAt: "2026-01-01T00:00:00Z",
  updatedAt: "2026-01-01T00:00:00Z",
});

function show(names: string[], rules = ["*"]) {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  client.setQueryData(meQuery.queryKey, { kind: "user", id: "p1", rules } as unknown as Principal);
  const page = (left: string[]) => (
    <QueryClientProvider client={client}>
      <ConnectionConfirmation connection={connection(left)} />
    </QueryClientProvider>
  );
  const { container, rerender } = render(page(names));
  return { container, read: (left: string[]) => rerender(page(left)) };
}

describe("a connection that a less-privileged user changed", () => {
  it("names them, and is confirmed at the revision that is shown", async () => {
    const sent: (string | null)[][] = [];
    vi.stubGlobal("fetch", async (request: Request) => {
      sent.push([request.method, new URL(request.url).pathname, request.headers.get("If-Match")]);
      return Response.json(connection([]));
    });
    const { read } = show(["Eva", "Deploy bot"]);
    expect(screen.getByTestId("connection-unconfirmed").textContent).toContain("Changed by Eva, Deploy bot.");
    fireEvent.click(screen.getByRole("button", { name: "Confirm connection" }));
    await waitFor(() => expect(sent).toEqual([["PUT", "/api/ai/connections/1/confirmed", '"7"']]));
    await waitFor(() => expect(toast).toHaveBeenCalledWith("Local is confirmed"));
    // The button that had the focus is gone.
    read([]);
    await waitFor(() => expect(document.activeElement?.textContent).toBe("Confirmed as it is now."));
  });

  it("offers no confirmation to less-privileged users, whom the server would refuse", () => {
    show(["Eva"], ["ai.connection.manage"]);
    expect(screen.getByTestId("connection-unconfirmed").textContent).toContain("until an administrator confirms it");
    expect(screen.queryByRole("button")).toBeNull();
  });

  it("takes no room once it is confirmed", () => {
    expect(show([]).container.textContent).toBe("");
  });
});
