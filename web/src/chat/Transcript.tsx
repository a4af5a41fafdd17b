import { useQueryClient } from "@tanstack/react-query";
import { useDeferredValue, useEffect, useState, useTransition, type ReactNode } from "react";
import { readEarlier, type ChatMessage, type Conversation } from "../api/conversations";
import { ErrorNotice } from "../ui/Notice";
import { Edge } from "./Edge";
import { MessageList } from "./MessageList";
import { keptReading } from "./reading";
import { around, atEnd, bounds, drawnForEnd, withEarlier, withFirst, withLater } from "./stretch";
import { TranscriptSkeleton } from "./TranscriptSkeleton";

interface TranscriptProps {
  conversation: Conversation;
  /** Known messages of the chat, to its end. */
  messages: ChatMessage[];
  busy: boolean;
  /** Searched message. */
  wanted: string | undefined;
  /** The newest message of the person. */
  sent: string | undefined;
  /** `place` is the message that the reader searches for or returns to. */
  draw: (message: ChatMessage, place: boolean) => ReactNode;
  /** Below the last message. */
  tail: ReactNode;
}

/** The messages of a chat. A long chat loads and renders those near the viewport. */
export function Transcript(props: TranscriptProps) {
  const { conversation, messages, wanted } = props;
  const [left] = useState(() => keptReading(conversation.id)?.message);
  // A place in a message is found when all of it is drawn. That is done in pieces, between which whatever is more urgent goes first.
  const begun = useDeferredValue(true, wanted === undefined && left === undefined);
  return useKnown(conversation, messages, wanted ?? left) && begun ? (
    <Drawn {...props} start={wanted ?? left} />
  ) : (
    <TranscriptSkeleton />
  );
}

/** Reads back to a message; whether it is known, or is not to be found. */
function useKnown({ id, messages: read, nextCursor }: Conversation, messages: ChatMessage[], wanted?: string): boolean {
  const client = useQueryClient();
  const [failed, setFailed] = useState<string>();
  const has = (all: ChatMessage[]) => all.some((message) => message.id === wanted);
  const missing =
    wanted !== undefined && failed !== wanted && !has(messages) && (nextCursor !== undefined || has(read));
  useEffect(() => {
    if (!missing || nextCursor === undefined) return;
    void readEarlier(client, id, nextCursor, true).catch(() => setFailed(wanted));
  }, [client, id, missing, nextCursor, wanted]);
  // A found message may be replaced later.
  const [known, setKnown] = useState<string>();
  if (!missing && known !== wanted) setKnown(wanted);
  return !missing || known === wanted;
}

interface DrawnProps extends TranscriptProps {
  /** The message to begin with in the place of the end. */
  start: string | undefined;
}

function Drawn({ conversation, messages, busy, wanted, sent, draw, tail, start }: DrawnProps) {
  const client = useQueryClient();
  const [stretch, setStretch] = useState(() => (start === undefined ? atEnd(messages) : around(messages, start)));
  const [sought, setSought] = useState(wanted);
  const [lastSent, setLastSent] = useState(sent);
  const [drawing, begin] = useTransition();
  const [ends, setEnds] = useState(0);
  const [reading, setReading] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  if (sought !== wanted) {
    setSought(wanted);
    if (wanted !== undefined) setStretch(around(messages, wanted));
  }
  if (lastSent !== sent) {
    setLastSent(sent);
    if (stretch.to !== undefined) setStretch(atEnd(messages));
  }

  const [first, end] = bounds(messages, stretch);
  // Of an end that was too much to be drawn at once the rest comes right behind it, to be scrolled to and found.
  const [filled, setFilled] = useState(start !== undefined || first === 0);
  useEffect(() => {
    if (filled) return;
    begin(() => {
      setFilled(true);
      setStretch((begun) => withFirst(messages, begun));
    });
  }, [filled, messages]);
  const { id, nextCursor } = conversation;
  const idle = !drawing && !reading;
  const earlier = () => {
    setError(null);
    if (first > 0) return begin(() => setStretch(withEarlier(messages, stretch)));
    if (nextCursor === undefined) return;
    setReading(true);
    readEarlier(client, id, nextCursor)
      .catch(setError)
      .finally(() => setReading(false));
  };
  const later = () => begin(() => setStretch(withLater(messages, stretch)));
  // Visible messages stay until the end has been drawn; those above it appear by themselves.
  const latest = () =>
    begin(() => {
      setStretch(atEnd(messages, drawnForEnd));
      setEnds((before) => before + 1);
    });
  return (
    <MessageList
      after={
        end < messages.length ? (
          <Edge auto={!drawing} onReach={later} step={String(end)} working={drawing}>
            Later messages
          </Edge>
        ) : undefined
      }
      anchor={sent}
      before={
        first > 0 || nextCursor !== undefined ? (
          <>
            <Edge auto={idle && !error} onReach={earlier} step={`${first} ${messages.length}`} working={!idle}>
              {reading ? "Reading earlier messages" : "Earlier messages"}
            </Edge>
            <ErrorNotice error={error} />
          </>
        ) : undefined
      }
      busy={busy}
      ends={ends}
      onLatest={stretch.to === undefined ? undefined : latest}
      place={id}
      stretch={`${messages[first]?.id} ${messages[end - 1]?.id}`}
      wanted={wanted}
    >
      {messages.slice(first, end).map((message) => draw(message, message.id === start || message.id === wanted))}
      {end === messages.length && tail}
    </MessageList>
  );
}
