import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { Chart } from "./Chart";
import type { ChartData } from "./chartdata";

// There is no canvas here; what is drawn is looked at in a browser.
vi.mock("./Plot", () => ({ default: () => null }));

const start = Date.parse("2026-11-22T00:00:00Z");
const data: ChartData = {
  points: Array.from({ length: 250 }, (_, at) => ({
    at: new Date(start + at * 60_000).toISOString(),
    runs: 1,
    failed: at === 249 ? 1 : 0,
    p50Ms: at,
    p95Ms: at + 1,
    maxMs: at + 1,
  })),
  transitions: [{ at: new Date(start).toISOString(), before: "healthy", after: "unhealthy", reason: "It refused." }],
  gaps: [],
  states: [],
  from: start,
  to: start + 250 * 60_000,
};

it("A chart is read with the keyboard", async () => {
  const user = userEvent.setup();
  render(<Chart data={data} label="Latency of Checkout" />);
  const chart = screen.getByRole("slider", { name: /^Latency of Checkout: 250 runs/ });
  chart.focus();
  await user.keyboard("{Home}");
  expect(chart.getAttribute("aria-valuetext")).toContain("p50 0 ms");
  await user.keyboard("{ArrowRight}");
  expect(chart.getAttribute("aria-valuetext")).toContain("p50 1 ms");
  await user.keyboard("{End}");
  expect(chart.getAttribute("aria-valuenow")).toBe("249");
  expect(screen.getByTestId("chart-readout").textContent).toContain("1 failed");
  await user.keyboard("{ArrowRight}");
  expect(chart.getAttribute("aria-valuenow")).toBe("249");
});

it("A chart is a table for those who do not see it, the latest first", async () => {
  const user = userEvent.setup();
  render(<Chart data={data} label="Latency of Checkout" />);
  await user.click(screen.getByRole("button", { name: "Show as table" }));
  const table = screen.getByRole("table", { name: "Latency of Checkout" });
  expect(within(table).getAllByRole("row")).toHaveLength(101);
  expect(within(table).getAllByRole("row")[1]?.textContent).toContain("249 ms");
  await user.click(screen.getByRole("button", { name: "Show more" }));
  expect(within(table).getAllByRole("row")).toHaveLength(201);
  expect(screen.getByRole("list", { name: "Changes" }).textContent).toContain("healthy to unhealthy. It refused.");
});
