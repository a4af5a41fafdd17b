import { weightOf } from "../markdown/paced";

/** Which messages of a chat are drawn: those from one to another, by their ids. */
export interface Stretch {
  from: string | undefined;
  /** Undefined to the end, also when more comes. */
  to: string | undefined;
}

interface Weighed {
  id: string;
  parts?: readonly object[];
}

type Messages = readonly Weighed[];

/** More than fit on a screen. */
const drawnFirst = 30;
/** Few enough to draw at once when the reader jumps to the end, also while an answer streams. */
export const drawnForEnd = 8;
/** Maximum of further messages drawn when the reader comes near an undrawn one. */
const step = 30;
/**
 * Budget of one step: of long messages fewer are drawn, so that drawing and layout stay unnoticed. The end is drawn
 * with all else that a page needs.
 */
const mostWeight = 20_000;
const firstWeight = 9_000;
/** A message that is longer is drawn in steps. */
const longest = 3_000;
/** Cost of a message without its text, and of a part that is none, such as a tool call. */
const partWeight = 300;
/** Limit of rendered messages; the farthest ones are removed. */
const most = 150;

export const atEnd = (messages: Messages, drawn = drawnFirst): Stretch => ({
  from: messages[before(messages, messages.length, drawn, firstWeight)]?.id,
  to: undefined,
});

/** Where a stretch begins, and behind which message it ends. Of messages that have gone it takes the end of the chat. */
export function bounds(messages: Messages, { from, to }: Stretch): [number, number] {
  const first = messages.findIndex(({ id }) => id === from);
  const last = to === undefined ? -1 : messages.findIndex(({ id }) => id === to);
  const end = last < 0 ? messages.length : last + 1;
  return [first < 0 || first >= end ? Math.max(0, end - drawnFirst) : first, end];
}

export function around(messages: Messages, wanted: string): Stretch {
  const at = messages.findIndex(({ id }) => id === wanted);
  if (at < 0) return atEnd(messages);
  const [half, weight] = [drawnFirst / 2, mostWeight / 2];
  return between(messages, before(messages, at, half, weight), behind(messages, at, half, weight));
}

export function withEarlier(messages: Messages, stretch: Stretch, count = step): Stretch {
  const [first, end] = bounds(messages, stretch);
  const from = before(messages, first, count);
  return between(messages, from, Math.min(end, from + most));
}

/** Extends a short stretch to the number of messages that are rendered first. */
export function withFirst(messages: Messages, stretch: Stretch): Stretch {
  const [first, end] = bounds(messages, stretch);
  return withEarlier(messages, stretch, Math.max(0, drawnFirst - (end - first)));
}

export function withLater(messages: Messages, stretch: Stretch): Stretch {
  const [first, end] = bounds(messages, stretch);
  const to = behind(messages, end, step);
  return between(messages, Math.max(first, to - most), to);
}

function between(messages: Messages, first: number, end: number): Stretch {
  return {
    from: messages[Math.max(0, first)]?.id,
    to: end >= messages.length ? undefined : messages[end - 1]?.id,
  };
}

function weigh({ parts = [] }: Weighed): number {
  let weight = partWeight;
  for (const part of parts)
    weight += "text" in part && typeof part.text === "string" ? weightOf(part.text) : partWeight;
  return Math.min(weight, longest);
}

/** Where as many messages begin as are drawn with one more step before a place; one at least. */
function before(messages: Messages, place: number, count: number, limit = mostWeight): number {
  let first = place;
  for (let weight = 0; first > 0 && place - first < count; first--) {
    const message = messages[first - 1];
    weight += message ? weigh(message) : 0;
    if (weight > limit && first < place) break;
  }
  return first;
}

/** And where as many end after one. */
function behind(messages: Messages, place: number, count: number, limit = mostWeight): number {
  let end = place;
  for (let weight = 0; end < messages.length && end - place < count; end++) {
    const message = messages[end];
    weight += message ? weigh(message) : 0;
    if (weight > limit && end > place) break;
  }
  return end;
}
