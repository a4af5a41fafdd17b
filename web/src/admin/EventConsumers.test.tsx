import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { fireEvent, render, screen, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import type { EventConsumer } from "../api/events";
import { EventConsumers } from "./EventConsumers";

const consumer = (over: Partial<EventConsumer>): EventConsumer => ({
  name: "notifications",
  movedAt: "2026-11-28T06:00:00Z",
  runAt: "2026-11-28T06:00:00Z",
  absent: false,
  overdue: false,
  waiting: 0,
  parked: 0,
  depth: 0,
  lagMs: 20,
  dispatches: 0,
  ...over,
});

function show(answer: () => Promise<Response>) {
  vi.stubGlobal("fetch", answer);
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <EventConsumers />
    </QueryClientProvider>,
  );
}

const texts = (item: HTMLElement) =>
  within(item)
    .getAllByRole("definition")
    .map(({ textContent }) => textContent);

describe("EventConsumers", () => {
  it("shows depth, lag and dead letters of each consumer, and which one needs help", async () => {
    const consumers = [
      consumer({}),
      consumer({ name: "mail", parked: 2, waiting: 3 }),
      consumer({ name: "incidents", depth: 16_000, lagMs: 40 * 86_400_000, overdue: true, dispatches: 4 }),
      consumer({ name: "gone", absent: true, overdue: true }),
    ];
    show(async () => Response.json({ consumers }));
    const items = await screen.findAllByTestId("consumer");
    expect(texts(items[0]!)).toEqual(["0", "none", "0", "0", "0"]);
    within(items[0]!).getByText("Running");
    expect(texts(items[1]!)).toEqual(["0", "none", "3", "0", "2"]);
    within(items[1]!).getByText("Has dead letters");
    expect(texts(items[2]!).slice(0, 2)).toEqual(["over 16,000", "40 days"]);
    within(items[2]!).getByText("Behind");
    within(items[2]!).getByText("Events older than 30 days are kept for it.");
    within(items[3]!).getByText("Not running");
    within(items[3]!).getByText(/No process has run it since/);
  });

  it("says that it loads, and that there are none", async () => {
    show(async () => Response.json({ consumers: [] }));
    expect(screen.getByRole("status", { name: "Loading" })).toBeTruthy();
    expect(
      await screen.findByText("No consumers yet. Parts of Countersign that react to events appear here."),
    ).toBeTruthy();
  });

  it("reads again after an error", async () => {
    let failed = false;
    show(async () => {
      if (failed) return Response.json({ consumers: [consumer({})] });
      failed = true;
      return Response.json({ code: "internal", detail: "It broke." }, { status: 500 });
    });
    await screen.findByRole("alert");
    fireEvent.click(screen.getByRole("button", { name: "Try again" }));
    expect(await screen.findByText("notifications")).toBeTruthy();
  });
});
