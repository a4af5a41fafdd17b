import { startTransition, useEffect, useState } from "react";

/**
 * As much of a Markdown as is drawn at a time: to draw it, and to lay it out, takes a third of what a task may take. In characters,
 * with what a line costs besides.
 */
const step = 6_000;
/** Size of the first step: other things of the page are drawn with it, and nothing more urgent can go between. */
const firstStep = step / 2;
const line = 30;

/** Cost of drawing a text, in characters. */
export function weightOf(text: string): number {
  let lines = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines++;
  return text.length + lines * line;
}

/** How far a text that has been drawn up to there is drawn next: to the end of a line, where it has one. */
export function nextEnd(text: string, drawn: number): number {
  const most = drawn === 0 ? firstStep : step;
  if (text.length - drawn <= most / (line + 1)) return text.length;
  let left = most;
  for (let at = drawn; ;) {
    const end = text.indexOf("\n", at) + 1;
    const size = (end === 0 ? text.length : end) - at;
    if (size + line > left) return at > drawn ? at : Math.min(text.length, drawn + most);
    if (end === 0) return text.length;
    left -= size + line;
    at = end;
  }
}

/** Where those texts begin that are drawn next when all from a place on have been drawn; one more at least. */
export function nextFirst(texts: string[], drawn: number): number {
  const most = drawn === texts.length ? firstStep : step;
  let first = drawn;
  for (let weight = 0; first > 0; first--) {
    weight += weightOf(texts[first - 1] ?? "") + line;
    if (weight > most && first < drawn) break;
  }
  return first;
}

/** How an answer is drawn that is long: from its beginning, as it comes; from its end, above what is read; or at once. */
export type Pace = "forward" | "backward" | undefined;

/** The part of a growing text that is to be drawn now. Much that comes at once is drawn in steps, each of which is seen before the next. */
export function useForward(text: string, pace: Pace): string {
  const [drawn, setDrawn] = useState(pace === "forward" ? "" : text);
  const next = text.startsWith(drawn) ? text.slice(0, nextEnd(text, drawn.length)) : text;
  useEffect(() => {
    if (next !== drawn) startTransition(() => setDrawn(next));
  }, [next, drawn]);
  return next;
}

/** The first of several texts that is to be drawn now: the last ones come first, and those before them in steps. */
export function useBackward(texts: string[], pace: Pace): number {
  const [first, setFirst] = useState(() => (pace === "backward" ? nextFirst(texts, texts.length) : 0));
  useEffect(() => {
    if (first > 0) startTransition(() => setFirst(nextFirst(texts, first)));
  }, [texts, first]);
  return first;
}
