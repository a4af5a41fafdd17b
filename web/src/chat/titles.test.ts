import { describe, expect, test } from "vitest";
import { observeServerDate } from "../api/clock";
import type { ConversationSummary } from "../api/conversations";
import { awaitsTitle, untilTitled } from "./titles";

const start = Date.parse("2026-07-14T09:30:00Z");
const titled = (title: string | null): ConversationSummary => ({
  id: "c-1",
  title,
  permissionMode: "approve",
  activeTurnId: null,
  connectionId: null,
  model: null,
  createdAt: new Date(start).toISOString(),
  updatedAt: new Date(start).toISOString(),
});

describe("The list of chats", () => {
  test("waits for a title that is not there yet, and for a better one than the cut beginning of a message", () => {
    expect(awaitsTitle(titled(null), start + 10_000)).toBe(true);
    expect(awaitsTitle(titled("Please look up who owns the…"), start + 60_000)).toBe(true);
    expect(awaitsTitle(titled("Owner of Payments"), start + 1_000)).toBe(false);
  });

  test("does not wait for ever", () => {
    expect(awaitsTitle(titled(null), start + 20_000)).toBe(false);
    expect(awaitsTitle(titled("Please look up who owns the…"), start + 75_000)).toBe(false);
  });

  test("waits by the server's clock, whatever the computer's says", () => {
    const server = Date.now() + 3_600_000;
    const begun = { ...titled("Please look up who owns the…"), updatedAt: new Date(server - 80_000).toISOString() };
    expect(awaitsTitle(begun)).toBe(true);
    observeServerDate(new Date(server).toUTCString());
    expect(awaitsTitle(begun)).toBe(false);
    observeServerDate(new Date().toUTCString());
  });

  test("is read again only while it waits", () => {
    const recent = { ...titled("Please look up who owns the…"), updatedAt: new Date().toISOString() };
    expect(untilTitled({ state: { data: { pages: [{ conversations: [recent] }] } } })).toBe(2_000);
    expect(untilTitled({ state: { data: { pages: [{ conversations: [titled(null)] }] } } })).toBe(false);
    expect(untilTitled({ state: { data: undefined } })).toBe(false);
  });
});
