import { afterEach, beforeEach, expect, it, vi } from "vitest";

beforeEach(() => void vi.resetModules());
afterEach(() => sessionStorage.clear());

const load = () => import("./scrollplace");

it("remembers where pages were left, in this document and the next one", async () => {
  const first = await load();
  first.keepScroll("a", 120.4);
  first.keepScroll("b", 0);
  expect([first.keptScroll("a"), first.keptScroll("b"), first.keptScroll("c")]).toEqual([120, 0, 0]);
  window.dispatchEvent(new Event("pagehide"));
  vi.resetModules();
  const next = await load();
  expect(next.keptScroll("a")).toBe(120);
});

it("forgets the oldest of many", async () => {
  const { keepScroll, keptScroll } = await load();
  for (let page = 0; page < 120; page++) keepScroll(String(page), page + 1);
  expect([keptScroll("19"), keptScroll("20"), keptScroll("119")]).toEqual([0, 21, 120]);
});

it("does without what cannot be read", async () => {
  for (const kept of ["{", "7", '[["a"],["b","c"],["d",5]]']) {
    sessionStorage.setItem("countersign.scroll", kept);
    vi.resetModules();
    const { keptScroll } = await load();
    expect(keptScroll("a")).toBe(0);
  }
  expect((await load()).keptScroll("d")).toBe(5);
});
