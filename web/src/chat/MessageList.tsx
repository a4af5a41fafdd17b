import { useLayoutEffect, useRef, useState, useSyncExternalStore, type ReactNode } from "react";
import { Icon } from "../ui/Icon";
import { keepReading, keptReading } from "./reading";
import { View } from "./view";

/** Space above a searched message. */
const aboveWanted = 16;

interface MessageListProps {
  /** Changes when something new should be scrolled to, such as a sent message. */
  anchor: string | undefined;
  busy: boolean;
  /** The chat, to come back to where it was left. */
  place?: string;
  /** Searched message: it is shown, and has the focus. */
  wanted?: string;
  /** Says which messages are there: changes when there are others at either side. */
  stretch?: string;
  /** Content above the first and below the last message where there are more. */
  before?: ReactNode;
  after?: ReactNode;
  /** Renders the end of the chat when it is not rendered yet. */
  onLatest?: () => void;
  /** Changes when it has been drawn. */
  ends?: number;
  children: ReactNode;
}

/** The scrolling transcript. It follows the end unless the reader scrolled away; then their position is kept. */
export function MessageList(props: MessageListProps) {
  const { anchor, busy, place, wanted, stretch, before, after, onLatest, ends, children } = props;
  const viewport = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const [view] = useState(() => new View());
  const away = !useSyncExternalStore(view.subscribe, view.following);

  useLayoutEffect(
    () => (viewport.current && content.current ? view.attach(viewport.current, content.current) : undefined),
    [view],
  );
  useLayoutEffect(() => {
    view.keep();
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- it is to be kept when others are there
  }, [view, stretch]);

  // Where the chat was left counts until something new comes.
  const [left] = useState(() => (place ? keptReading(place) : undefined));
  const begun = useRef<string | null | undefined>(anchor);
  useLayoutEffect(() => {
    if (anchor !== begun.current) begun.current = null;
    if (begun.current === null || !left || !view.show(left)) view.toEnd();
  }, [view, anchor, left]);
  useLayoutEffect(() => {
    const message = wanted === undefined ? null : view.show({ message: wanted, top: aboveWanted });
    if (!message) return;
    message.tabIndex = -1;
    message.focus({ preventScroll: true });
  }, [view, wanted]);

  const drawn = useRef(ends);
  useLayoutEffect(() => {
    if (ends !== drawn.current) view.toEnd();
    drawn.current = ends;
  }, [view, ends]);

  const onScroll = () => {
    view.scrolled(after === undefined);
    if (place) keepReading(place, view.reading());
  };

  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      <div
        aria-busy={busy}
        aria-label="Conversation"
        // A reader who has scrolled away gets no announcements of earlier messages.
        aria-live={away ? "off" : "polite"}
        className="relative min-h-0 flex-1 overflow-y-auto [overflow-anchor:none]"
        data-testid="message-list"
        onScroll={onScroll}
        ref={viewport}
        role="log"
        // A scrolling region has to be reachable by keyboard.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
      >
        <div className="mx-auto max-w-3xl px-4 py-6 sm:px-6">
          {before}
          <div className="flex flex-col gap-6" ref={content}>
            {children}
          </div>
          {after}
        </div>
      </div>
      {away && (
        // On a phone it is below the text instead of over it.
        <button
          className={
            "rise inline-flex items-center gap-1.5 rounded-full border bg-card px-3 py-1 text-sm shadow-floating " +
            "hover:bg-muted max-sm:my-1 max-sm:self-center sm:absolute sm:bottom-3 sm:left-1/2 " +
            "sm:-translate-x-1/2"
          }
          onClick={() => (onLatest ? onLatest() : view.toEnd())}
          type="button"
        >
          <Icon name="down" size={14} /> Latest
        </button>
      )}
    </div>
  );
}
