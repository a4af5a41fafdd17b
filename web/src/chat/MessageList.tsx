import { useEffect, useRef, useState, type ReactNode } from "react";
import { Icon } from "../ui/Icon";
import { keepScroll, keptScroll, scrollWhenHigh } from "../ui/scrollplace";

/** Closer to the end than this counts as reading the end. */
const nearEndPixels = 80;
/** What is left free above a message that somebody looks for. */
const aboveWanted = 16;

interface MessageListProps {
  /** Changes when something new should be scrolled to, such as a sent message. */
  anchor: string | undefined;
  busy: boolean;
  /** The chat, to come back to where it was left. */
  place?: string;
  /** The message that somebody looks for: it is shown, and has the focus. */
  wanted?: string;
  children: ReactNode;
}

/** The scrolling transcript. It follows the end unless the reader scrolled away. */
export function MessageList({ anchor, busy, place, wanted, children }: MessageListProps) {
  const viewport = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const following = useRef(true);
  const lastTop = useRef(0);
  const [away, setAway] = useState(false);

  // Arriving at the end is noticed by onScroll, which hides the button again.
  const scrollToEnd = () => {
    following.current = true;
    viewport.current?.scrollTo({ top: viewport.current.scrollHeight });
  };

  // How far from the end, as messages above may be drawn later.
  const [left] = useState(() => (place ? keptScroll(`chat ${place}`) : 0));
  const begun = useRef({ anchor, busy });
  useEffect(() => {
    const frame = viewport.current;
    if (!frame || left === 0 || anchor !== begun.current.anchor) {
      following.current = true;
      frame?.scrollTo({ top: frame.scrollHeight });
      return;
    }
    following.current = false;
    setAway(true);
    return scrollWhenHigh(frame, () => {
      frame.scrollTop = frame.scrollHeight - frame.clientHeight - left;
      // More may still come above, unless it comes below.
      return begun.current.busy;
    });
  }, [anchor, left]);
  useEffect(() => {
    const frame = viewport.current;
    if (!frame || !wanted) return;
    return scrollWhenHigh(frame, () => {
      const message = frame.querySelector<HTMLElement>(`[data-message="${CSS.escape(wanted)}"]`);
      if (!message) return false;
      following.current = false;
      setAway(true);
      message.tabIndex = -1;
      message.focus({ preventScroll: true });
      // Not scrollIntoView, which may move the shell as well.
      frame.scrollTop += message.getBoundingClientRect().top - frame.getBoundingClientRect().top - aboveWanted;
      return true;
    });
  }, [wanted]);
  useEffect(() => {
    if (!content.current || typeof ResizeObserver === "undefined") return;
    const observer = new ResizeObserver(() => {
      const frame = viewport.current;
      if (frame && following.current) frame.scrollTop = frame.scrollHeight;
    });
    observer.observe(content.current);
    return () => observer.disconnect();
  }, []);

  // Only a move upwards means that the reader left: the text may have grown
  // between a scroll to the end and its event.
  const onScroll = () => {
    const frame = viewport.current;
    if (!frame) return;
    const below = frame.scrollHeight - frame.scrollTop - frame.clientHeight;
    if (below < nearEndPixels) following.current = true;
    else if (frame.scrollTop < lastTop.current) following.current = false;
    lastTop.current = frame.scrollTop;
    if (place) keepScroll(`chat ${place}`, following.current ? 0 : below);
    setAway(!following.current);
  };

  return (
    <div className="relative min-h-0 flex-1">
      <div
        aria-busy={busy}
        aria-label="Conversation"
        aria-live="polite"
        className="h-full overflow-y-auto"
        data-testid="message-list"
        onScroll={onScroll}
        ref={viewport}
        role="log"
        // A scrolling region has to be reachable by keyboard.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
      >
        <div className="transcript mx-auto flex max-w-3xl flex-col gap-6 px-4 py-6 sm:px-6" ref={content}>
          {children}
        </div>
      </div>
      {away && (
        <button
          className="rise absolute bottom-3 left-1/2 inline-flex -translate-x-1/2 items-center gap-1.5 rounded-full border bg-card px-3 py-1 text-sm shadow-floating hover:bg-muted"
          onClick={scrollToEnd}
          type="button"
        >
          <Icon name="down" size={14} /> Latest
        </button>
      )}
    </div>
  );
}
