import { afterEach, describe, expect, it, vi } from "vitest";
import { observeServerDate, serverNow } from "./clock";

const local = Date.parse("2026-11-21T10:00:00Z");

describe("server clock", () => {
  afterEach(() => {
    observeServerDate(new Date().toUTCString());
    vi.useRealTimers();
  });

  it("follows a server whose clock differs", () => {
    vi.useFakeTimers({ now: local });
    observeServerDate("Sat, 21 Nov 2026 10:05:00 GMT");
    expect(serverNow()).toBe(local + 5 * 60_000);
  });

  it("ignores differences within the header's precision", () => {
    vi.useFakeTimers({ now: local });
    observeServerDate("Sat, 21 Nov 2026 09:59:59 GMT");
    expect(serverNow()).toBe(local);
  });

  it("keeps what it knows when a header is missing or broken", () => {
    vi.useFakeTimers({ now: local });
    observeServerDate("Sat, 21 Nov 2026 10:05:00 GMT");
    observeServerDate(null);
    observeServerDate("yesterday");
    expect(serverNow()).toBe(local + 5 * 60_000);
  });
});
