import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, renderHook } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { healthNews } from "../changes/health";
import { readAgain, useLive } from "./live";

const client = () => {
  const made = new QueryClient();
  for (const key of [
    ["board", {}],
    ["system", "a"],
    ["chart", "a", null, 1],
    ["system", "b"],
    ["check", "c"],
  ])
    made.setQueryData(["health", ...key], {});
  made.setQueryData(["health", "runs", 7, null], { pages: [{}], pageParams: [] });
  made.setQueryData(["health", "runs", 8, null], { pages: [{}, {}], pageParams: [] });
  made.setQueryData(["systems"], {});
  return made;
};

const stale = (of: QueryClient) =>
  of
    .getQueryCache()
    .getAll()
    .filter(({ state }) => state.isInvalidated)
    .map(({ queryKey }) => queryKey.slice(0, 3).join(" "))
    .toSorted();

const wrapperOf =
  (one: QueryClient) =>
  ({ children }: { children: ReactNode }) => <QueryClientProvider client={one}>{children}</QueryClientProvider>;
const look = (hidden: boolean) => {
  vi.spyOn(document, "hidden", "get").mockReturnValue(hidden);
  document.dispatchEvent(new Event("visibilitychange"));
};
const soon = () => act(() => vi.advanceTimersByTime(1_500));

describe("What is read again", () => {
  it("is what is about the system that has changed, and lists of several", () => {
    const one = client();
    readAgain(one, { all: false, systems: new Set(["a"]) });
    expect(stale(one)).toEqual(["health board [object Object]", "health chart a", "health runs 7", "health system a"]);
  });

  it("is all that follows the status of systems when anything may have changed", () => {
    const one = client();
    readAgain(one, { all: true, systems: new Set() });
    expect(stale(one)).toContain("health system b");
    expect(stale(one)).not.toContain("health check c");
    expect(stale(one)).not.toContain("systems");
  });
});

describe("A page that is live", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.runAllTimers();
    vi.useRealTimers();
    vi.restoreAllMocks();
    healthNews.setTold(false);
  });

  it("asks rarely while it hears, and often while it does not", () => {
    const one = client();
    const wrapper = wrapperOf(one);
    const quiet = renderHook(() => useLive(false), { wrapper });
    expect(healthNews.isAsked()).toBe(false);
    const page = renderHook(() => useLive(), { wrapper });
    const part = renderHook(() => useLive(), { wrapper });
    expect(healthNews.isAsked()).toBe(true);
    expect(page.result.current).toBe(10_000);
    act(() => healthNews.setTold(true));
    expect(page.result.current).toBe(60_000);
    expect(stale(one)).toEqual([]);
    act(() => healthNews.say("a"));
    soon();
    expect(stale(one)).toContain("health system a");
    expect(stale(one)).not.toContain("health system b");
    act(() => healthNews.say());
    soon();
    expect(stale(one)).toContain("health system b");
    act(() => healthNews.setTold(false));
    expect(page.result.current).toBe(10_000);
    part.unmount();
    expect(healthNews.isAsked()).toBe(true);
    page.unmount();
    quiet.unmount();
    vi.advanceTimersByTime(6_000);
    expect(healthNews.isAsked()).toBe(false);
  });

  it("asks for nothing while nobody looks at it, and reads all again afterwards", () => {
    const one = client();
    const page = renderHook(() => useLive(), { wrapper: wrapperOf(one) });
    act(() => healthNews.setTold(true));
    act(() => look(true));
    expect(healthNews.isAsked()).toBe(false);
    act(() => healthNews.say("a"));
    soon();
    expect(stale(one)).toEqual([]);
    act(() => look(false));
    soon();
    expect(healthNews.isAsked()).toBe(true);
    expect(stale(one)).toEqual(expect.arrayContaining(["health system a", "health system b"]));
    page.unmount();
  });
});
