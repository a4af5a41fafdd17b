import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { fireEvent, render, screen, waitFor } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import type { Connection } from "../api/connections";
import { ConnectionLessons } from "./ConnectionLessons";

const toast = vi.fn<(text: string) => void>();
vi.mock("../ui/Toast", () => ({ useToast: () => toast }));

const connection = (lessons: Connection["lessons"]): Connection => ({
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
  unconfirmedChangesBy: [],
  lessons,
  figures: [],
  extraHeaderNames: [],
  streaming: "auto",
  textCalls: "auto",
  revision: 7,
  createdAt: "2026-01-01T00:00:00Z",
  updatedAt: "2026-01-01T00:00:00Z",
});

const client = new QueryClient();
const shown = (lessons: Connection["lessons"]) => (
  <QueryClientProvider client={client}>
    <ConnectionLessons connection={connection(lessons)} />
  </QueryClientProvider>
);
const show = (lessons: Connection["lessons"]) => render(shown(lessons));

describe("what a provider has taught", () => {
  it("is said in plain words, and forgotten by a button", async () => {
    const sent: { method: string; body: unknown }[] = [];
    vi.stubGlobal("fetch", async (request: Request) => {
      sent.push({ method: request.method, body: await request.json() });
      return Response.json(connection([]));
    });
    const says = "This provider takes max_completion_tokens instead of max_tokens.";
    const { rerender } = show([{ model: "m", lesson: "max_completion_tokens", says }]);
    expect(screen.getByTestId("connection-lessons").textContent).toContain(says);
    fireEvent.click(screen.getByRole("button", { name: "Reset learned limits" }));
    await waitFor(() => expect(sent).toEqual([{ method: "PATCH", body: { forgetLessons: true } }]));
    await waitFor(() => expect(toast).toHaveBeenCalledWith("Learned limits of Local were reset"));
    // The keyboard is not sent back to the top of the page when the button goes.
    rerender(shown([]));
    expect(document.activeElement?.textContent).toContain("Reset.");
  });

  it("names the limits that calls have shown", () => {
    const learned = {
      ...connection([]),
      figures: [
        { model: "m", windowTokens: 8192, maxTools: 64, slots: 1 },
        { model: "n", tokensPerEstimate: 1.4 },
      ],
    };
    render(
      <QueryClientProvider client={client}>
        <ConnectionLessons connection={learned} />
      </QueryClientProvider>,
    );
    expect(screen.getByTestId("connection-lessons").textContent).toBe(
      "This model takes 8,192 tokens, takes 64 tools per request, handles one request at a time. (m)",
    );
  });

  it("takes no room where nothing was taught", () => {
    const { container } = show([]);
    expect(container.textContent).toBe("");
  });
});
