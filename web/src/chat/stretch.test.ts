import { expect, it } from "vitest";
import { around, atEnd, bounds, withEarlier, withLater, type Stretch } from "./stretch";

const chat = (length: number, before = 0) => Array.from({ length }, (_, n) => ({ id: String(n - before) }));

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
