/** Which messages of a chat are drawn: those from one to another, by their ids. */
export interface Stretch {
  from: string | undefined;
  /** Undefined to the end, also when more comes. */
  to: string | undefined;
}

type Messages = readonly { id: string }[];

/** More than fit on a screen. */
const drawnFirst = 30;
/** So few that somebody who goes to the end sees it at once, also while an answer is written. */
export const drawnForEnd = 8;
/** How many more are drawn when somebody comes near what is not. */
const step = 30;
/** As many stay when others are drawn; what is farthest away is not drawn any more. */
const most = 150;

export const atEnd = (messages: Messages, drawn = drawnFirst): Stretch => ({
  from: messages.at(-drawn)?.id,
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
  return between(messages, at - drawnFirst / 2, at + drawnFirst / 2);
}

export function withEarlier(messages: Messages, stretch: Stretch): Stretch {
  const [first, end] = bounds(messages, stretch);
  const from = Math.max(0, first - step);
  return between(messages, from, Math.min(end, from + most));
}

export function withLater(messages: Messages, stretch: Stretch): Stretch {
  const [first, end] = bounds(messages, stretch);
  const to = Math.min(messages.length, end + step);
  return between(messages, Math.max(first, to - most), to);
}

function between(messages: Messages, first: number, end: number): Stretch {
  return {
    from: messages[Math.max(0, first)]?.id,
    to: end >= messages.length ? undefined : messages[end - 1]?.id,
  };
}
