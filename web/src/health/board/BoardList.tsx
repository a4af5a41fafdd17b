import { defaultRangeExtractor, useVirtualizer, type Range } from "@tanstack/react-virtual";
import { useEffect, useLayoutEffect, useRef, useState, type KeyboardEvent } from "react";
import { Button } from "../../ui/Button";
import { usePageScroll } from "../../ui/Page";
import { SectionRow, SystemRow } from "./BoardRows";
import { inOrderOf, type Entry } from "./sections";

/** As many are in the document whether they are seen or not: a browser finds words in all of them. */
const fewRows = 100;
/** Rows in the document beyond the visible ones, at either end. */
const beyond = 12;
/** Estimated heights of unmeasured rows, in pixels. */
const usualHeights = { section: 37, system: 70 };
/** How near its end the list asks for more. */
const nearEnd = 50;

interface BoardListProps {
  entries: readonly Entry[];
  /** There are no further ones to read. */
  complete: boolean;
  now: number;
  /** The entries are those of a selection before, until the next ones are read. */
  outdated: boolean;
  onToggle: (section: string) => void;
  /** Reads the next page; undefined without one. */
  more: (() => void) | undefined;
}

/**
 * The systems in one list, of which only those near the visible part are in the document. Rows change their contents at
 * once, and keep their places while the pointer or the focus is in the list, or it is scrolled.
 */
export function BoardList({ entries: newest, complete, now, outdated, onToggle, more }: BoardListProps) {
  const scroll = usePageScroll();
  const element = useRef<HTMLUListElement>(null);
  const [busy, setBusy] = useState({ pointer: false, focus: false, scrolled: false });
  const [shown, setShown] = useState<readonly Entry[] | null>(null);
  const held = !outdated && (busy.pointer || busy.focus || busy.scrolled);
  if (held && !shown) setShown(newest);
  if (!held && shown) setShown(null);
  const { entries, differs } = shown ? inOrderOf(shown, newest) : { entries: newest, differs: false };

  const top = useTop(element, scroll);
  const [active, setActive] = useState<string | null>(null);
  const wanted = useRef<string | null>(null);
  const at = (key: string | null) => (key === null ? -1 : entries.findIndex((entry) => entry.key === key));
  // oxlint-disable-next-line react/incompatible-library -- nothing here is memoized
  const rows = useVirtualizer({
    count: entries.length,
    getScrollElement: () => scroll,
    estimateSize: (index) => usualHeights[entries[index]?.kind ?? "system"],
    getItemKey: (index) => entries[index]?.key ?? index,
    scrollMargin: top,
    overscan: entries.length > fewRows ? beyond : fewRows,
    // The row with the focus stays, however far it is scrolled away.
    rangeExtractor: (range) => withRow(range, at(active)),
  });
  const items = rows.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (more && last >= entries.length - nearEnd) more();
  }, [more, last, entries.length]);

  useEffect(() => {
    if (!scroll) return;
    const look = () => {
      const scrolled = scroll.scrollTop > top;
      setBusy((before) => (before.scrolled === scrolled ? before : { ...before, scrolled }));
    };
    look();
    scroll.addEventListener("scroll", look, { passive: true });
    return () => scroll.removeEventListener("scroll", look);
  }, [scroll, top]);

  // A row that was not in the document gets the focus once it is.
  useLayoutEffect(() => {
    if (wanted.current === null) return;
    const row = linkOf(element.current, at(wanted.current));
    if (!row) return;
    wanted.current = null;
    row.focus({ preventScroll: true });
  });
  const go = (index: number) => {
    const entry = entries[index];
    if (!entry) return;
    wanted.current = entry.key;
    setActive(entry.key);
    rows.scrollToIndex(index, { align: "auto" });
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const here = at(active);
    const steps: Record<string, number> = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: entries.length - 1 };
    const to = steps[event.key];
    if (to === undefined || here < 0) return;
    event.preventDefault();
    go(Math.max(0, Math.min(entries.length - 1, to)));
  };
  const sortAgain = (byKey: boolean) => {
    setShown(newest);
    setActive(null);
    // The button is gone with the press.
    const first = newest[0];
    if (!byKey || !first) return;
    wanted.current = first.key;
    setActive(first.key);
    rows.scrollToIndex(0);
  };

  return (
    // The button that sorts again is a part of it: the way to it must not make it disappear.
    <div
      className="relative"
      onBlur={(event) => {
        if (event.currentTarget.contains(event.relatedTarget)) return;
        setBusy((before) => ({ ...before, focus: false }));
        setActive(null);
      }}
      onFocus={(event) => {
        const index = event.target.closest("li")?.dataset.index;
        setActive(entries[Number(index)]?.key ?? null);
        setBusy((before) => ({ ...before, focus: true }));
      }}
      onPointerEnter={({ pointerType }) =>
        pointerType !== "touch" && setBusy((before) => ({ ...before, pointer: true }))
      }
      onPointerLeave={() => setBusy((before) => ({ ...before, pointer: false }))}
      role="presentation"
    >
      <div className="overflow-hidden rounded-xl border bg-card shadow-raised">
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- keys move between its links */}
        <ul
          aria-label="Systems"
          className="relative [overflow-anchor:none]"
          data-testid="board-list"
          onKeyDown={onKeyDown}
          ref={element}
          style={{ height: rows.getTotalSize() }}
        >
          {items.map(({ index, key, start }) => {
            const entry = entries[index];
            if (!entry) return null;
            return (
              <li
                aria-posinset={index + 1}
                aria-setsize={complete ? entries.length : -1}
                className="absolute inset-x-0 top-0 border-b"
                data-index={index}
                key={key as string}
                ref={rows.measureElement}
                style={{ transform: `translateY(${start - top}px)` }}
              >
                {entry.kind === "section" ? (
                  <SectionRow
                    onToggle={() => {
                      setShown(null);
                      onToggle(entry.section.key);
                    }}
                    section={entry.section}
                  />
                ) : (
                  <SystemRow left={entry.left} now={now} row={entry.row} />
                )}
              </li>
            );
          })}
        </ul>
      </div>
      {/* It has its room before it says anything, so that no row moves when it does. */}
      <div className="pointer-events-none sticky bottom-0 z-20 flex h-14 items-end justify-center pb-2" role="status">
        {differs && (
          <div
            className="pointer-events-auto flex items-center gap-3 rounded-xl border bg-card py-1 pr-1 pl-4 text-sm shadow-raised"
            data-testid="board-moved"
          >
            The order has changed
            <Button className="min-h-8" icon="repeat" onClick={({ detail }) => sortAgain(detail === 0)}>
              Sort again
            </Button>
          </div>
        )}
      </div>
    </div>
  );
}

function withRow(range: Range, index: number): number[] {
  const indexes = defaultRangeExtractor(range);
  if (index < 0 || indexes.includes(index)) return indexes;
  return [...indexes, index].toSorted((a, b) => a - b);
}

const linkOf = (list: HTMLElement | null, index: number) =>
  list?.querySelector<HTMLElement>(`[data-index="${index}"] [data-row-link]`);

/** Where the list begins in the page. Content above it may change its height at any time. */
function useTop(element: { current: HTMLElement | null }, scroll: HTMLElement | null): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const column = element.current?.closest("[data-board]");
    if (!column || !scroll) return;
    const measure = () => {
      const list = element.current;
      if (!list) return;
      setTop(Math.round(list.getBoundingClientRect().top - scroll.getBoundingClientRect().top + scroll.scrollTop));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(column);
    return () => observer.disconnect();
  }, [element, scroll]);
  return top;
}
