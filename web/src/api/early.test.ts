import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { takeEarly } from "./early";
import { personHeader } from "./presence";
import { Reachability, Unanswered } from "./reach";

const request = (path = "/api/me", init?: RequestInit) => new Request(new URL(path, location.origin), init);
const { signal } = new AbortController();
const asked = (answer: Promise<Response>) => {
  globalThis.countersignEarly = { path: "/api/me", answer };
};

beforeEach(() => {
  vi.spyOn(performance, "now").mockReturnValue(1_000);
});

afterEach(() => {
  globalThis.countersignEarly = undefined;
});

it("is taken once, by the request that it answers", async () => {
  const answer = new Response("me");
  asked(Promise.resolve(answer));
  expect(takeEarly(request("/api/settings"), signal)).toBeUndefined();
  expect(takeEarly(request("/api/me?x=1"), signal)).toBeUndefined();
  expect(takeEarly(request("/api/me", { method: "POST" }), signal)).toBeUndefined();
  expect(await takeEarly(request(), signal)).toBe(answer);
  expect(takeEarly(request(), signal)).toBeUndefined();
});

it("is nothing for a page that has its person already, nor when it is old", () => {
  asked(Promise.resolve(new Response()));
  expect(takeEarly(request("/api/me", { headers: { [personHeader]: "1" } }), signal)).toBeUndefined();
  expect(takeEarly(request(), signal)).toBeUndefined();
  asked(Promise.resolve(new Response()));
  vi.mocked(performance.now).mockReturnValue(21_000);
  expect(takeEarly(request(), signal)).toBeUndefined();
  expect(takeEarly(request(), signal)).toBeUndefined();
});

it("is given up as any read, and failed as it", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const fetched = vi.fn<typeof fetch>(async () => new Response("fetched"));
  vi.stubGlobal("fetch", fetched);
  const reach = new Reachability(async () => true);
  reach.start();
  asked(new Promise(() => {}));
  const refused = vi.fn<(error: unknown) => void>();
  void reach.send(request()).catch(refused);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(refused).toHaveBeenCalledExactlyOnceWith(expect.any(Unanswered));
  asked(Promise.reject(new TypeError("Failed to fetch")));
  await expect(reach.send(request())).rejects.toThrow("Failed to fetch");
  expect(fetched).not.toHaveBeenCalled();
  expect(await (await reach.send(request())).text()).toBe("fetched");
  vi.useRealTimers();
});
