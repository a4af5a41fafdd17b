import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, renderHook } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { readAgain, useLive } from "./live";

/** A stream that a test speaks on. */
class Source extends EventTarget {
  static readonly CLOSED = 2;
  static readonly made: Source[] = [];
  readyState = 0;
  constructor(readonly url: string) {
    super();
    Source.made.push(this);
  }
  close() {
    this.readyState = Source.CLOSED;
  }
  say(type: string, data = "") {
    this.dispatchEvent(new MessageEvent(type, { data }));
  }
}

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
    vi.stubGlobal("EventSource", Source);
    Source.made.length = 0;
  });
  afterEach(() => {
    vi.runAllTimers();
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  it("asks rarely while it hears, often while it does not, and shares one stream", () => {
    const one = client();
    const wrapper = ({ children }: { children: ReactNode }) => (
      <QueryClientProvider client={one}>{children}</QueryClientProvider>
    );
    const page = renderHook(() => useLive(), { wrapper });
    const part = renderHook(() => useLive(), { wrapper });
    const quiet = renderHook(() => useLive(false), { wrapper });
    expect(page.result.current).toBe(10_000);
    expect(Source.made).toHaveLength(1);
    const [source] = Source.made;
    act(() => source?.say("open"));
    expect(page.result.current).toBe(60_000);
    act(() => {
      source?.say("changed", '{"systemId":"a"}');
      source?.say("changed", "nonsense");
      vi.advanceTimersByTime(500);
    });
    expect(stale(one)).toContain("health system a");
    expect(stale(one)).not.toContain("health system b");
    act(() => {
      source?.close();
      source?.say("error");
    });
    expect(page.result.current).toBe(10_000);
    act(() => vi.advanceTimersByTime(61_000));
    expect(Source.made).toHaveLength(2);
    page.unmount();
    part.unmount();
    quiet.unmount();
    vi.advanceTimersByTime(6_000);
    expect(Source.made[1]?.readyState).toBe(Source.CLOSED);
  });
});
