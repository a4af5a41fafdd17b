import { afterEach, beforeEach, expect, it, vi } from "vitest";
import first from "../public/first.js?raw";

beforeEach(() => {
  document.body.innerHTML = '<div id="root"></div>';
  vi.useFakeTimers();
});
afterEach(() => void vi.useRealTimers());

function run() {
  // oxlint-disable-next-line typescript/no-implied-eval -- as the document does
  new Function("matchMedia", "location", first)(() => ({ matches: false }), { reload });
}

const reload = vi.fn<() => void>();

function fail(type: string) {
  const script = document.createElement("script");
  script.type = type;
  document.body.append(script);
  script.dispatchEvent(new Event("error"));
}

it("says that the app could not be loaded, and reads the document again", async () => {
  run();
  fail("text/javascript");
  expect(document.querySelector("[role=alert]")).toBeNull();
  fail("module");
  fail("module");
  expect(document.querySelector("#root [role=alert]")?.textContent).toContain("could not be loaded");
  await vi.advanceTimersByTimeAsync(4_999);
  expect(reload).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(5_001);
  expect(reload).toHaveBeenCalledOnce();
});
