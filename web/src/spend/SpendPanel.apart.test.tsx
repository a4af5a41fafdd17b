import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { fireEvent, render, screen } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import type { SpendFilter, SpendReport } from "../api/spend";
import { SpendPanel } from "./SpendPanel";

// There is no canvas here; what is drawn is looked at in a browser.
vi.mock("./SpendPlot", () => ({ default: () => null }));

const use = {
  calls: 1,
  priced: 0,
  tokens: 5,
  inputTokens: 5,
  outputTokens: 0,
  cachedTokens: 0,
  costMicros: 0,
};

const byConnection: SpendReport = {
  zone: "UTC",
  step: "day",
  split: "connection",
  starts: ["2026-11-01T00:00:00Z"],
  end: "2026-11-02T00:00:00Z",
  series: [{ key: "c1", name: "Large models", others: false, total: use, slots: [use] }],
  limits: [],
};

it("looks at the connection that is shown, also while another split is being read", async () => {
  // jsdom has no media.
  vi.stubGlobal("matchMedia", () => Object.assign(new EventTarget(), { matches: false }));
  vi.stubGlobal("fetch", async (request: Request) =>
    request.url.includes("split=connection") ? Response.json(byConnection) : new Promise(() => {}),
  );
  const onFilter = vi.fn<(filter: SpendFilter) => void>();
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const panel = (filter: SpendFilter) => (
    <QueryClientProvider client={client}>
      <SpendPanel filter={filter} onFilter={onFilter} />
    </QueryClientProvider>
  );
  const { rerender } = render(panel({}));
  await screen.findByRole("button", { name: /Large models/ });
  rerender(panel({ split: "person" }));
  fireEvent.click(screen.getByRole("button", { name: /Large models/ }));
  expect(onFilter).toHaveBeenCalledWith({ connectionId: "c1", split: "person" });
});
