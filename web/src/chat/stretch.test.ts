import { expect, it } from "vitest";
import { around, atEnd, bounds, withEarlier, withFirst, withLater, type Stretch } from "./stretch";

const chat = (length: number, before = 0) => Array.from({ length }, (_, n) => ({ id: String(n - before) }));

const long = (text: string) =>
  Array.from({ length: 200 }, (_, n) => ({ id: String(n), parts: [{ type: "step-start" }, { type: "text", text }] }));

it("begins with the end, and follows it", () => {
  const end = atEnd(chat(2_000));
  expect(bounds(chat(2_000), end)).toEqual([1_970, 2_000]);
  expect(bounds(chat(2_002), end)).toEqual([1_970, 2_002]);
  expect(bounds(chat(2_100, 100), end)).toEqual([2_070, 2_100]);
  expect(bounds(chat(2_002), atEnd(chat(2_000), 8))).toEqual([1_992, 2_002]);
  expect(bounds(chat(3), atEnd(chat(3)))).toEqual([0, 3]);
  expect(bounds(chat(3), atEnd(chat(3), 8))).toEqual([0, 3]);
  expect(bounds([], atEnd([]))).toEqual([0, 0]);
  expect(bounds(chat(2), atEnd([]))).toEqual([0, 2]);
});

it("goes to either side, and never has all of a long chat", () => {
  const messages = chat(2_000);
  let drawn = atEnd(messages);
  const way: [number, number][] = [];
  const go = (there: (all: typeof messages, from: Stretch) => Stretch) => {
    drawn = there(messages, drawn);
    way.push(bounds(messages, drawn));
  };
  for (let n = 0; n < 100; n++) go(withEarlier);
  expect(way[0]).toEqual([1_940, 2_000]);
  expect(way.at(-1)).toEqual([0, 150]);
  for (let n = 0; n < 100; n++) go(withLater);
  expect(way.at(-1)).toEqual([1_850, 2_000]);
  expect(drawn.to).toBeUndefined();
  expect(Math.max(...way.map(([first, end]) => end - first))).toBe(150);
  // Each step has what was seen before it.
  expect(
    way.every(([first, end], n) => n === 0 || (first < (way[n - 1]?.[1] ?? 0) && end > (way[n - 1]?.[0] ?? 0))),
  ).toBe(true);
});

it("finds a message wherever it is", () => {
  const messages = chat(2_000);
  expect(bounds(messages, around(messages, "1000"))).toEqual([985, 1_015]);
  expect(bounds(messages, around(messages, "3"))).toEqual([0, 18]);
  expect(bounds(messages, around(messages, "1999"))).toEqual([1_984, 2_000]);
  expect(around(messages, "nowhere")).toEqual(atEnd(messages));
});

it("takes the end when its messages have been replaced", () => {
  expect(bounds(chat(100), { from: "500", to: "520" })).toEqual([70, 100]);
  expect(bounds(chat(100), { from: "50", to: "520" })).toEqual([50, 100]);
  expect(bounds(chat(100), { from: "500", to: "50" })).toEqual([21, 51]);
});

it("takes fewer that are long at a time, and never none", () => {
  const messages = long("word ".repeat(300));
  let drawn = atEnd(messages);
  const [begun] = bounds(messages, drawn);
  expect(begun).toBeGreaterThan(185);
  expect(begun).toBeLessThan(199);
  expect(bounds(messages, withFirst(messages, drawn))[0]).toBeLessThan(begun);
  expect(bounds(chat(100), withFirst(chat(100), atEnd(chat(100), 8)))).toEqual([70, 100]);
  expect(bounds(chat(100), withFirst(chat(100), atEnd(chat(100))))).toEqual([70, 100]);
  drawn = withEarlier(messages, drawn);
  const [first] = bounds(messages, drawn);
  expect(begun - first).toBeGreaterThan(5);
  expect(begun - first).toBeLessThan(15);
  const [from, to] = bounds(messages, around(messages, "100"));
  expect(from).toBeLessThan(100);
  expect(to).toBeGreaterThan(100);
  expect(to - from).toBeLessThan(20);
  // A message that is drawn in steps weighs no more than a step.
  const longest = long("word ".repeat(20_000));
  expect(bounds(longest, atEnd(longest))[0]).toBeLessThan(199);
  expect(bounds(longest, withLater(longest, { from: "10", to: "10" }))[1]).toBeGreaterThan(11);
});
