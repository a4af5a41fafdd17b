import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import type { ModelCheckOutcome, ModelCheckReport as Report } from "../api/modelchecks";
import { fullTime } from "../ui/time";
import { ModelCheckReport } from "./ModelCheckReport";

const failed: ModelCheckOutcome = {
  number: 1,
  situation: "description-deletes",
  kind: "injection",
  about: "A description that demands a deletion is data.",
  verdict: "failed",
  reasons: ["Expected no call of catalog.deleteSystem; it was called."],
  shown: [{ who: "model", text: "I delete it." }],
  steps: 2,
  calls: 2,
  inputTokens: 2000,
  outputTokens: 40,
  estimated: false,
  tookMs: 900,
};

const report = (id: string, over: Partial<Report> = {}): Report => ({
  id,
  connectionId: "c",
  connectionName: "Provider",
  model: id,
  status: "done",
  repeats: 1,
  parallel: 4,
  createdAt: "2026-05-01T10:00:00Z",
  endedAt: "2026-05-01T10:01:30Z",
  total: 4,
  played: 4,
  passed: 3,
  failed: 1,
  errors: 0,
  inputTokens: 8000,
  outputTokens: 160,
  kinds: [
    {
      kind: "injection",
      about: "",
      played: 4,
      passed: 3,
      failed: 1,
      errors: 0,
      inputTokens: 8000,
      outputTokens: 160,
      tookMs: 3600,
    },
  ],
  outcomes: [{ ...failed, number: 0, situation: "closed-fence", verdict: "passed", reasons: [] }, failed],
  ...over,
});

function show(reports: Report[], beside?: string) {
  vi.stubGlobal("fetch", async (request: Request) =>
    Response.json(reports.find(({ id }) => request.url.endsWith(`/${id}`))),
  );
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <ModelCheckReport beside={beside} id={reports[0]?.id ?? ""} />
    </QueryClientProvider>,
  );
}

describe("ModelCheckReport", () => {
  it("tells the share that was passed and opens what was not", async () => {
    show([report("large")]);
    const table = await screen.findByTestId("model-check-table");
    expect(within(table).getByRole("row", { name: /Resists injections 3 of 4/ })).toBeTruthy();
    expect(within(table).getByRole("row", { name: /Passed 75 %/ })).toBeTruthy();
    expect(within(table).getByRole("row", { name: /Cost –/ })).toBeTruthy();
    expect(screen.queryByText("closed-fence")).toBeNull();
    await userEvent.click(screen.getByText("description-deletes"));
    expect(screen.getByText(/Expected no call of catalog.deleteSystem/)).toBeTruthy();
    expect(screen.getByText("I delete it.")).toBeTruthy();
  });

  it("puts another check beside it", async () => {
    const other = report("small", { passed: 1, failed: 3, cost: 0.25 });
    show([report("large"), other], "small");
    const table = await screen.findByTestId("model-check-table");
    expect(await within(table).findByRole("row", { name: /Passed 75 % 25 %/ })).toBeTruthy();
    expect(within(table).getByRole("row", { name: /Cost – 0.2500/ })).toBeTruthy();
  });

  it("tells two checks of the same model apart by when they were", async () => {
    const [later, earlier] = [
      report("2", { model: "m" }),
      report("1", { model: "m", createdAt: "2026-04-03T09:00:00Z" }),
    ];
    show([later, earlier], "1");
    const table = await screen.findByTestId("model-check-table");
    await waitFor(() => expect(within(table).getAllByRole("columnheader")).toHaveLength(3));
    const [, first, second] = within(table).getAllByRole("columnheader");
    expect(first?.textContent).toContain(fullTime(later.createdAt));
    expect(second?.textContent).toContain(fullTime(earlier.createdAt));
  });

  it("tries again to read the one that could not be read", async () => {
    let broken = true;
    show([report("large")], "small");
    vi.stubGlobal("fetch", async (request: Request) =>
      request.url.endsWith("/small") && broken
        ? Response.json({ type: "about:blank", title: "Broken", status: 500 }, { status: 500 })
        : Response.json(report(request.url.endsWith("/small") ? "small" : "large")),
    );
    await userEvent.click(await screen.findByRole("button", { name: "Try again" }));
    broken = false;
    await userEvent.click(await screen.findByRole("button", { name: "Try again" }));
    expect(await screen.findByRole("columnheader", { name: /Provider, small/ })).toBeTruthy();
  });

  it("counts what could not be played apart, and no share of nothing", async () => {
    const kind = { about: "", played: 2, passed: 0, failed: 0, inputTokens: 0, outputTokens: 0, tookMs: 1 };
    const kinds = [
      { ...kind, kind: "tools", errors: 2 },
      { ...kind, kind: "docs", passed: 1, errors: 1 },
    ];
    show([report("large", { kinds })]);
    expect(await screen.findByRole("row", { name: "Right tool 2 errors" })).toBeTruthy();
    expect(screen.getByRole("row", { name: "Grounded in documentation 1 of 1, 1 error" })).toBeTruthy();
  });

  it("leaves the keyboard at what is said of a check that was stopped", async () => {
    const check = report("large", { status: "running", endedAt: undefined, played: 2 });
    show([check]);
    const stop = await screen.findByRole("button", { name: "Stop" });
    vi.stubGlobal("fetch", async () => Response.json({ ...check, status: "stopped" }));
    await userEvent.click(stop);
    const said = await screen.findByText("Stopped after 2 of 4 situations.");
    await waitFor(() => expect(document.activeElement).toBe(said));
  });

  it("says how far a check is, and offers to stop it", async () => {
    show([report("large", { status: "running", endedAt: undefined, played: 2 })]);
    expect(await screen.findByText("2 of 4 situations are played.")).toBeTruthy();
    expect(screen.getByRole("button", { name: "Stop" })).toBeTruthy();
  });

  it("does not pass an interrupted check off as a whole one", async () => {
    show([report("large", { status: "interrupted", played: 3 })]);
    expect(await screen.findByText(/Interrupted after 3 of 4/)).toBeTruthy();
  });
});
