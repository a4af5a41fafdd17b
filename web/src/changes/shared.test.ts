import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { presence } from "../api/presence";
import type { Change } from "./connection";
import { SharedChanges } from "./shared";

/** A stream as the server speaks. */
class FakeSource extends EventTarget {
  static readonly all: FakeSource[] = [];
  static readonly CLOSED = 2;
  static readonly open = () => FakeSource.all.filter(({ closed }) => !closed);
  closed = false;
  readyState = 0;
  readonly url: string;
  constructor(url: string) {
    super();
    this.url = url;
    FakeSource.all.push(this);
  }
  close() {
    this.closed = true;
  }
  /** Reaction of a browser to an answer that is no stream. */
  isRefused() {
    this.readyState = FakeSource.CLOSED;
    this.dispatchEvent(new Event("error"));
  }
  says(name: string, data: object, lastEventId: string) {
    this.dispatchEvent(new MessageEvent(name, { data: JSON.stringify(data), lastEventId }));
  }
}

/** Channels between tabs, and the lock that one of them holds. */
class FakeChannel extends EventTarget {
  static tabs: FakeChannel[] = [];
  constructor() {
    super();
    FakeChannel.tabs.push(this);
  }
  postMessage(data: unknown) {
    const message = structuredClone(data);
    for (const other of FakeChannel.tabs)
      if (other !== this) other.dispatchEvent(new MessageEvent("message", { data: message }));
  }
  close() {
    FakeChannel.tabs = FakeChannel.tabs.filter((other) => other !== this);
  }
}

class FakeLocks {
  #held: { lose: (why: Error) => void } | undefined;
  #queue: (() => void)[] = [];
  async request(_: string, { steal, signal }: { steal?: boolean; signal?: AbortSignal }, work: () => Promise<void>) {
    if (steal) this.#held?.lose(new Error("stolen"));
    else if (this.#held)
      await new Promise<void>((resolve, reject) => {
        this.#queue.push(resolve);
        signal?.addEventListener("abort", () => {
          this.#queue = this.#queue.filter((waiting) => waiting !== resolve);
          reject(new Error("aborted"));
        });
      });
    const own = { lose: (_why: Error) => {} };
    const lost = new Promise<never>((_resolve, reject) => (own.lose = reject));
    this.#held = own;
    try {
      await Promise.race([work(), lost]);
    } finally {
      if (this.#held === own) {
        this.#held = undefined;
        this.#queue.shift()?.();
      }
    }
  }
}

function tab() {
  const heard: Change[] = [];
  const state = { open: false, health: false };
  const changes = new SharedChanges(
    "ada",
    (change) => heard.push(change),
    (open, health) => Object.assign(state, { open, health }),
  );
  return { heard, state, asks: (now: boolean) => changes.askHealth(now), close: () => changes.close() };
}

const settle = () => vi.advanceTimersByTimeAsync(0);
const only = (): FakeSource => {
  const [source, ...more] = FakeSource.open();
  if (!source || more.length > 0) throw new Error("there is not one connection");
  return source;
};

beforeEach(() => {
  vi.useFakeTimers();
  FakeSource.all.length = 0;
  FakeChannel.tabs = [];
  vi.stubGlobal("EventSource", FakeSource);
  vi.stubGlobal("BroadcastChannel", FakeChannel);
  Object.defineProperty(navigator, "locks", { configurable: true, value: new FakeLocks() });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  Reflect.deleteProperty(navigator, "locks");
});

it("has one connection for all tabs, which goes on in another when its tab is closed", async () => {
  const one = tab();
  const two = tab();
  await settle();
  only().says("ping", { every: 15_000 }, "100");
  only().says("conversation", { id: "c1" }, "200");
  expect([one.state.open, two.state.open]).toEqual([true, true]);
  expect([one.heard, two.heard]).toEqual([[{ kind: "conversation", id: "c1" }], [{ kind: "conversation", id: "c1" }]]);
  one.close();
  await settle();
  expect(only().url).toContain("after=200");
  only().says("record", { type: "catalog.system", id: "s1" }, "300");
  expect(two.heard.at(-1)).toEqual({ kind: "record", type: "catalog.system", id: "s1" });
  expect(one.heard).toHaveLength(1);
  two.close();
  await settle();
  expect(FakeSource.open()).toHaveLength(0);
});

it("tells a new tab what has just been said", async () => {
  const one = tab();
  await settle();
  only().says("ping", { every: 15_000 }, "100");
  only().says("proposal", { id: "p1" }, "200");
  const two = tab();
  await settle();
  expect(two.heard).toEqual([{ kind: "proposal", id: "p1" }]);
  expect(two.state.open).toBe(true);
  one.close();
  two.close();
});

it("takes the place of a tab that stands still", async () => {
  const frozen = tab();
  const two = tab();
  await settle();
  only().says("ping", { every: 1_000 }, "100");
  vi.spyOn(FakeChannel.tabs[0] as FakeChannel, "postMessage").mockImplementation(() => {});
  await vi.advanceTimersByTimeAsync(4_000);
  await settle();
  only().says("ping", { every: 1_000 }, "100");
  only().says("conversation", { id: "c9" }, "150");
  expect(two.state.open).toBe(true);
  expect(two.heard).toEqual([{ kind: "conversation", id: "c9" }]);
  frozen.close();
  two.close();
});

it("comes back after the last event, more and more slowly, and says that it does not hear meanwhile", async () => {
  const one = tab();
  await settle();
  only().says("ping", { every: 15_000 }, "100");
  expect(only().url).toContain("person=ada");
  for (let attempt = 0; attempt < 3; attempt++) {
    only().dispatchEvent(new Event("error"));
    expect(one.state.open).toBe(false);
    expect(FakeSource.open()).toHaveLength(0);
    await vi.advanceTimersByTimeAsync(400 * 2 ** attempt);
    expect(FakeSource.open()).toHaveLength(0);
    await vi.advanceTimersByTimeAsync(1_100 * 2 ** attempt);
    expect(only().url).toContain("after=100");
  }
  only().says("ping", { every: 15_000 }, "100");
  expect(one.state.open).toBe(true);
  // Silence is an end too.
  const silent = only();
  await vi.advanceTimersByTimeAsync(38_000);
  expect(silent.closed).toBe(true);
  one.close();
});

it("waits for its person when their session is over, asks nothing meanwhile, and tells the other tabs", async () => {
  const ada = { id: "ada", name: "Ada Lovelace" };
  const look = vi.fn<typeof fetch>(async () => new Response(null, { status: 401 }));
  vi.stubGlobal("fetch", look);
  presence.begin(ada);
  const one = tab();
  const two = tab();
  await settle();
  only().says("ping", { every: 15_000 }, "100");
  const told = vi.spyOn(FakeChannel.tabs[0] as FakeChannel, "postMessage");
  only().isRefused();
  // The tab beside it, which hears nothing any more, takes its place meanwhile.
  await vi.advanceTimersByTimeAsync(600_000);
  expect(presence.over()).toBe(true);
  expect(presence.asks()).toBe(false);
  expect(look).toHaveBeenCalledOnce();
  expect(FakeSource.all).toHaveLength(1);
  expect(told).toHaveBeenCalledWith(expect.objectContaining({ is: "state", open: false, over: true }));
  presence.resume(ada);
  await settle();
  expect(only().url).toContain("after=100");
  presence.end();
  one.close();
  two.close();
});

it("comes back by itself when it was refused for another reason", async () => {
  vi.stubGlobal("fetch", async () => Response.json({ id: "ada", name: "Ada Lovelace" }));
  presence.begin({ id: "ada", name: "Ada Lovelace" });
  const one = tab();
  await settle();
  only().isRefused();
  await vi.advanceTimersByTimeAsync(1_600);
  expect(only().url).toContain("person=ada");
  expect(presence.over()).toBe(false);
  presence.end();
  one.close();
});

it("has a connection for each tab where a browser has no locks", async () => {
  Reflect.deleteProperty(navigator, "locks");
  const one = tab();
  const two = tab();
  await settle();
  expect(FakeSource.open()).toHaveLength(2);
  for (const source of FakeSource.open()) source.says("reset", {}, "100");
  for (const source of FakeSource.open()) source.says("record", { id: "without a type" }, "100");
  expect([one.heard, two.heard]).toEqual([[{ kind: "reset" }], [{ kind: "reset" }]]);
  one.close();
  two.close();
});

const beat = (id: string, health = true) => only().says("ping", { every: 1_000, ...(health && { health }) }, id);

describe("How systems fare", () => {
  it("is asked for by the one connection as long as a tab asks, and told to all", async () => {
    const one = tab();
    const two = tab();
    await settle();
    beat("100", false);
    expect(only().url).not.toContain("health");
    two.asks(true);
    expect(only().url).toContain("after=100");
    expect(only().url).toContain("health=0");
    beat("200", false);
    expect(two.state).toEqual({ open: true, health: false });
    only().says("health", {}, "200");
    beat("200");
    only().says("health", { id: "s1" }, "300");
    expect([one.state.health, two.state.health]).toEqual([true, true]);
    for (const { heard } of [one, two]) expect(heard).toEqual([{ kind: "health" }, { kind: "health", id: "s1" }]);
    // Much of it takes the place of nothing that a new tab has to hear.
    only().says("proposal", { id: "p1" }, "300");
    for (let system = 0; system < 200; system++) only().says("health", { id: `s${system}` }, "300");
    const three = tab();
    await settle();
    expect(three.heard).toEqual([{ kind: "proposal", id: "p1" }, { kind: "health" }]);
    three.close();
    // It asks with each heartbeat, and so it goes on.
    for (let beats = 0; beats < 10; beats++) {
      beat("400");
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(only().url).toContain("health=0");
    expect(FakeSource.all).toHaveLength(2);
    two.asks(false);
    for (let beats = 0; beats < 5; beats++) {
      beat("500", only().url.includes("health"));
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(only().url).not.toContain("health");
    beat("500", false);
    expect([one.state, two.state]).toEqual([
      { open: true, health: false },
      { open: true, health: false },
    ]);
    one.close();
    two.close();
  });

  it("goes on where it was, in the same tab and in another", async () => {
    const one = tab();
    const two = tab();
    one.asks(true);
    two.asks(true);
    await settle();
    expect(only().url).toContain("health=0");
    beat("100");
    only().says("health", { id: "s1" }, "200");
    only().dispatchEvent(new Event("error"));
    expect([one.state.health, two.state.health]).toEqual([false, false]);
    await vi.advanceTimersByTimeAsync(1_600);
    expect(only().url).toContain("health=200");
    beat("250");
    one.close();
    await settle();
    expect(only().url).toContain("health=250");
    two.close();
  });

  it("is asked for again when the tab with the connection comes later", async () => {
    const before = navigator.locks;
    Object.defineProperty(navigator, "locks", { configurable: true, value: { request: () => new Promise(() => {}) } });
    const two = tab();
    two.asks(true);
    Object.defineProperty(navigator, "locks", { configurable: true, value: before });
    const one = tab();
    await settle();
    expect(only().url).not.toContain("health");
    beat("100", false);
    expect(only().url).toContain("health=0");
    beat("200");
    expect(two.state.health).toBe(true);
    one.close();
    two.close();
  });

  it("is not told by a tab of the version before, which is not asked without end", async () => {
    const other = new FakeChannel();
    let hellos = 0;
    const state = { is: "state", open: true, last: "100", every: 1_000, recent: [] };
    other.addEventListener("message", (event) => {
      if ((event as MessageEvent<{ is: string }>).data.is !== "hello") return;
      hellos++;
      for (const channel of FakeChannel.tabs)
        if (channel !== other) channel.dispatchEvent(new MessageEvent("message", { data: state }));
    });
    void navigator.locks.request("countersign-changes-ada", {}, () => new Promise<void>(() => {}));
    const one = tab();
    one.asks(true);
    await settle();
    expect(hellos).toBe(2);
    expect(one.state).toEqual({ open: true, health: false });
    expect(FakeSource.all).toHaveLength(0);
    one.close();
  });
});
