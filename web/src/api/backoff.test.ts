import { expect, it } from "vitest";
import { Backoff, isTransient, parseRetryAfter, retryAfter } from "./backoff";
import { ConnectionLost, Problem } from "./problem";

const bounds = { first: 400, longest: 15_000 };

it("grows to its cap, with jitter, and starts over when it is reset", () => {
  const backoff = new Backoff(bounds);
  const delays = Array.from({ length: 12 }, () => backoff.next());
  for (const [failures, delay] of delays.entries()) {
    const ceiling = Math.min(bounds.first * 2 ** failures, bounds.longest);
    expect(delay).toBeGreaterThanOrEqual(ceiling / 2);
    expect(delay).toBeLessThanOrEqual(ceiling);
  }
  backoff.reset();
  expect(backoff.next()).toBeLessThanOrEqual(bounds.first);
  const firsts = new Set(Array.from({ length: 50 }, () => new Backoff(bounds).next()));
  expect(firsts.size).toBeGreaterThan(40);
});

it("waits at least as long as the server asks for, and not all clients equally long", () => {
  const delays = Array.from({ length: 50 }, () => new Backoff(bounds).next(7_000));
  expect(Math.min(...delays)).toBeGreaterThanOrEqual(7_000);
  expect(Math.max(...delays)).toBeLessThanOrEqual(7_000 + bounds.first);
  expect(new Set(delays).size).toBeGreaterThan(40);
});

it.each([
  ["a lost connection", new ConnectionLost("reset"), true],
  ["a server that starts", new Problem({ status: 503 }), true],
  ["a server that fails", new Problem({ status: 500 }), true],
  ["too many requests", new Problem({ status: 429 }), true],
  ["a missing chat", new Problem({ status: 404 }), false],
  ["a refusal", new Problem({ status: 403 }), false],
  ["a fault of the page", new Error("none of the server"), false],
])("tells of %s whether a later attempt may succeed", (_, error, expected) => {
  expect(isTransient(error)).toBe(expected);
});

it("reads Retry-After as seconds, as a date, and from a problem document", () => {
  const now = Date.UTC(2026, 0, 1);
  expect(parseRetryAfter("12", now)).toBe(12);
  expect(parseRetryAfter("Thu, 01 Jan 2026 00:00:30 GMT", now)).toBe(30);
  for (const none of ["Thu, 01 Jan 2025 00:00:30 GMT", "soon", "-3", "0", "", null, undefined])
    expect(parseRetryAfter(none, now)).toBeUndefined();
  expect(retryAfter(new Problem({ status: 503, retryAfterSeconds: 3 }))).toBe(3_000);
  expect(retryAfter(new ConnectionLost("reset"))).toBe(0);
});
