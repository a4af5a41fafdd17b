import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Reachability, Unanswered, type Reach } from "./reach";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const never = () => new Promise<never>(() => {});
const failed = async () => {
  throw new TypeError("Failed to fetch");
};

const request = (method: string) => ({ method, signal: new AbortController().signal }) as Request;

/** Server whose probes answer on command, with every state that is seen. */
function server() {
  let up: "up" | "frozen" | "absent" = "up";
  const reach = new Reachability((signal) => {
    if (up === "up") return Promise.resolve(true);
    if (up === "absent") return failed();
    return new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(new DOMException("given up", "AbortError")));
    });
  });
  reach.start();
  const seen: Reach[] = [];
  reach.subscribe(() => seen.push(reach.state()));
  return { reach, seen, is: (now: typeof up) => (up = now) };
}

describe("whether the server answers", () => {
  it("is no question while it does", async () => {
    const { reach, seen } = server();
    expect(await reach.watch(async () => "read")).toBe("read");
    await vi.advanceTimersByTimeAsync(60_000);
    expect(seen).toEqual([]);
  });

  it("is known within five seconds of a request that a frozen server does not answer", async () => {
    const { reach, is } = server();
    is("frozen");
    void reach.watch(never);
    await vi.advanceTimersByTimeAsync(4_999);
    expect(reach.state()).toBe("away");
  });

  it("is known at once when nothing is there, and again when it is back", async () => {
    const { reach, seen, is } = server();
    is("absent");
    await expect(reach.watch(failed)).rejects.toThrow("Failed to fetch");
    await vi.advanceTimersByTimeAsync(0);
    expect(reach.state()).toBe("away");
    is("up");
    await vi.advanceTimersByTimeAsync(2_000);
    expect(seen).toEqual(["away", "answers"]);
  });

  it("is told apart from one read that takes long, for as long as it does", async () => {
    const { reach, seen } = server();
    const { promise, resolve } = Promise.withResolvers<string>();
    const reading = reach.watch(() => promise);
    await vi.advanceTimersByTimeAsync(4_000);
    expect(reach.state()).toBe("slow");
    resolve("read");
    expect(await reading).toBe("read");
    expect(seen).toEqual(["slow", "answers"]);
  });

  it("is not in doubt while a write takes long", async () => {
    const { reach, seen } = server();
    void reach.watch(never, true);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(seen).toEqual([]);
  });

  it("is not in doubt when a request was cancelled", async () => {
    const { reach, seen, is } = server();
    is("absent");
    const cancelled = reach.watch(async () => {
      throw new DOMException("cancelled", "AbortError");
    });
    await expect(cancelled).rejects.toThrow("cancelled");
    await vi.advanceTimersByTimeAsync(60_000);
    expect(seen).toEqual([]);
  });

  it("is doubted when a proxy answers in its place", async () => {
    const { reach, is } = server();
    is("absent");
    await reach.watch(async () => new Response(null, { status: 502 }));
    await vi.advanceTimersByTimeAsync(0);
    expect(reach.state()).toBe("away");
  });

  it("is not waited for by a read for ever, and by a write it is", async () => {
    vi.stubGlobal(
      "fetch",
      (_: Request, init?: RequestInit) =>
        new Promise((_resolve, reject) => {
          init?.signal?.addEventListener("abort", () => reject(new DOMException("given up", "AbortError")));
        }),
    );
    const { reach } = server();
    const refused = vi.fn<(error: unknown) => void>();
    void reach.send(request("GET")).catch(refused);
    const written = vi.fn<() => void>();
    void reach.send(request("POST")).then(written, written);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(refused).toHaveBeenCalledExactlyOnceWith(expect.any(Unanswered));
    await vi.advanceTimersByTimeAsync(600_000);
    expect(written).not.toHaveBeenCalled();
  });

  it("can be waited for", async () => {
    const { reach, is } = server();
    is("absent");
    const back = vi.fn<() => void>();
    void reach.back().then(back);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(back).not.toHaveBeenCalled();
    is("up");
    await vi.advanceTimersByTimeAsync(2_000);
    expect(back).toHaveBeenCalledOnce();
  });

  it("is not asked before it is started", async () => {
    const probe = vi.fn<() => Promise<boolean>>();
    const reach = new Reachability(probe);
    await expect(reach.watch(failed)).rejects.toThrow("Failed to fetch");
    await reach.back();
    expect(probe).not.toHaveBeenCalled();
  });
});
