import { act, cleanup, fireEvent, render, screen, within } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import type { ToolCall } from "./outline";
import type { ToolBlock } from "./steps";
import { ToolTimeline } from "./ToolTimeline";

const at = "2026-11-23T10:00:00Z";

function step(id: string, changes: Partial<ToolCall> = {}): ToolBlock {
  const call: ToolCall = { id, name: "catalog.listSystems", state: "done", input: {}, output: {}, ...changes };
  return { kind: "tool", key: id, call };
}

const took = (seconds: number, tookMs: number) => ({
  timing: { startedAt: new Date(Date.parse(at) + seconds * 1_000).toISOString(), tookMs },
});

const show = (steps: ToolBlock[], live = false) => render(<ToolTimeline answer={steps} live={live} steps={steps} />);

afterEach(() => vi.useRealTimers());

const lines = () => screen.queryAllByTestId("tool-line").map((line) => line.dataset.state);

it("says how many steps there were and how long they took, and folds many", () => {
  const many = [0, 1, 2, 3].map((n) => step(`s${n}`, took(n, 400)));
  show([...many, step("f", { ...took(4, 1_600), state: "error", errorText: "It is away.", output: undefined })]);
  const fold = screen.getByRole("button", { name: /^5 steps, 3\.2 s, ?1 failed$/ });
  expect(fold.getAttribute("aria-expanded")).toBe("false");
  expect(lines()).toEqual(["error"]);
  screen.getByText("It is away.");
  fireEvent.click(fold);
  expect(lines()).toEqual(["done", "done", "done", "done", "error"]);
});

it("shows one step without a fold, and few unfolded", () => {
  show([step("a", took(0, 400))]);
  expect(screen.queryByTestId("timeline-fold")).toBeNull();
  expect(screen.getByTestId("tool-took").textContent).toBe("0.4 s");
  cleanup();
  show([step("a", took(0, 400)), step("b", took(1, 400))]);
  expect(screen.getByTestId("timeline-fold").getAttribute("aria-expanded")).toBe("true");
  expect(lines()).toEqual(["done", "done"]);
});

it("marks what went on at the same time", () => {
  show([step("a", took(0, 400)), step("b", took(0.1, 100)), step("c", took(2, 100))]);
  const items = screen.getAllByRole("listitem");
  expect(items.map((item) => item.dataset.together)).toEqual(["true", "true", undefined]);
  screen.getByText("2 at the same time");
});

it("has a clock while a call runs, from when it was asked for, which is not read aloud", () => {
  vi.useFakeTimers({ now: Date.parse(at) + 1_300 });
  const running: Partial<ToolCall> = { state: "running", output: undefined, timing: { askedAt: at } };
  const { rerender } = show([step("a", running)], true);
  const clock = screen.getByTestId("tool-clock");
  expect(clock.textContent).toBe("1.3 s");
  expect(clock.getAttribute("aria-hidden")).toBe("true");
  act(() => void vi.advanceTimersByTime(1_000));
  expect(clock.textContent).toBe("2.3 s");
  const over = [step("a", took(0.2, 2_100))];
  rerender(<ToolTimeline answer={over} live={false} steps={over} />);
  expect(screen.getByTestId("tool-took").textContent).toBe("2.1 s");
  expect(screen.queryByTestId("tool-clock")).toBeNull();
});

it("says what waits for a person and what one has declined", () => {
  show([step("a", { state: "waiting", output: undefined }), step("b", { state: "declined", output: undefined })]);
  expect(screen.getByText("Waits for a decision to list systems")).toBeDefined();
  expect(screen.getByText("Declined to list systems")).toBeDefined();
  expect(screen.getByRole("button", { name: /^2 steps, ?1 waiting, ?1 declined$/ })).toBeDefined();
});

it("opens to what a call was made with and what it answered, and shows it as it came on demand", async () => {
  show([step("a", { input: { query: "pay" }, output: { systems: [{ id: "7", name: "Payments" }] } })]);
  const line = within(screen.getByTestId("tool-line"));
  expect(line.getByTestId("tool-said").textContent).toBe("“pay”");
  fireEvent.click(line.getByRole("button"));
  await line.findByRole("cell", { name: "Payments" });
  fireEvent.click(line.getByRole("button", { name: "Show as JSON" }));
  line.getByText(/"id": "7"/);
});
