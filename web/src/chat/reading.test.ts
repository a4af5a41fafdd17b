import { afterEach, beforeEach, expect, it, vi } from "vitest";

beforeEach(() => void vi.resetModules());
afterEach(() => sessionStorage.clear());

const load = () => import("./reading");

it("remembers where chats were left, in this document and the next one", async () => {
  const first = await load();
  first.keepReading("a", { message: "m7", top: -12.4 });
  first.keepReading("b", { message: "m8", top: 1 });
  first.keepReading("b", null);
  expect([first.keptReading("a"), first.keptReading("b")]).toEqual([{ message: "m7", top: -12 }, undefined]);
  window.dispatchEvent(new Event("pagehide"));
  vi.resetModules();
  expect((await load()).keptReading("a")).toEqual({ message: "m7", top: -12 });
});

it("forgets the oldest of many", async () => {
  const { keepReading, keptReading } = await load();
  for (let chat = 0; chat < 120; chat++) keepReading(String(chat), { message: "m", top: chat });
  expect([keptReading("19"), keptReading("20")?.top, keptReading("119")?.top]).toEqual([undefined, 20, 119]);
});

it("does without what cannot be read", async () => {
  for (const kept of ["{", "7", '[["a"],["b",null],["c",{"message":7,"top":7}],["d",{"message":"m","top":5}]]']) {
    sessionStorage.setItem("countersign.reading", kept);
    vi.resetModules();
    const { keptReading } = await load();
    expect([keptReading("b"), keptReading("c")]).toEqual([undefined, undefined]);
  }
  expect((await load()).keptReading("d")).toEqual({ message: "m", top: 5 });
});
