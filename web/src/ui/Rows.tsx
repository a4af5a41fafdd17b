import { useVirtualizer } from "@tanstack/react-virtual";
import { useLayoutEffect, useRef, useState, type Key, type ReactNode } from "react";
import { usePageScroll } from "./Page";

/** As many as are in the document whether they are seen or not: a browser finds words in all of them. */
const fewRows = 100;
/** Estimated height of an unmeasured row, in pixels. */
const usualHeight = 66;

const frame = "divide-y overflow-hidden rounded-xl border bg-card shadow-raised";

interface RowsProps<Item> {
  label: string;
  items: readonly Item[];
  itemKey: (item: Item) => Key;
  /** Content of an item's row: usually a Row. */
  children: (item: Item) => ReactNode;
}

/** A list of things, one per row. A long one has only those rows in the document that are near the visible part. */
export function Rows<Item>(props: RowsProps<Item>) {
  if (props.items.length > fewRows) return <LongList {...props} />;
  return (
    <ul aria-label={props.label} className={frame}>
      {props.items.map((item) => (
        <li key={props.itemKey(item)}>{props.children(item)}</li>
      ))}
    </ul>
  );
}

function LongList<Item>({ label, items, itemKey, children }: RowsProps<Item>) {
  const scroll = usePageScroll();
  const element = useRef<HTMLUListElement>(null);
  const [top, setTop] = useState(0);
  // Content above the list may change its height at any time.
  useLayoutEffect(() => {
    const ul = element.current;
    if (!ul?.parentElement || !scroll) return;
    const measure = () =>
      setTop(Math.round(ul.getBoundingClientRect().top - scroll.getBoundingClientRect().top + scroll.scrollTop));
    const observer = new ResizeObserver(measure);
    observer.observe(ul.parentElement);
    return () => observer.disconnect();
  }, [scroll]);
  // oxlint-disable-next-line react/incompatible-library -- nothing here is memoized
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroll,
    estimateSize: () => usualHeight,
    getItemKey: (index) => itemKey(items[index] as Item),
    scrollMargin: top,
    overscan: 10,
  });
  const shown = rows.getVirtualItems();
  const before = (shown[0]?.start ?? top) - top;
  const after = rows.getTotalSize() + top - (shown.at(-1)?.end ?? top);
  return (
    // The browser must not keep a row in its place, as the virtualizer does: both together never come to rest.
    <ul
      aria-label={label}
      className={`${frame} [overflow-anchor:none]`}
      ref={element}
      style={{ paddingTop: before, paddingBottom: after }}
    >
      {shown.map(({ index, key }) => (
        <li
          aria-posinset={index + 1}
          aria-setsize={items.length}
          data-index={index}
          key={key as Key}
          ref={rows.measureElement}
        >
          {children(items[index] as Item)}
        </li>
      ))}
    </ul>
  );
}

interface RowProps {
  title: ReactNode;
  detail?: ReactNode;
  badges?: ReactNode;
  actions?: ReactNode;
  children?: ReactNode;
}

/** One thing of a list, with room for actions at the end, or below where that would leave no room for the words. */
export function Row({ title, detail, badges, actions, children }: RowProps) {
  return (
    <div className="px-4 py-3" data-testid="row">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <div className="min-w-0 flex-1 basis-44">
          <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <span className="min-w-0 font-medium wrap-anywhere">{title}</span>
            {badges}
          </div>
          {detail && <div className="text-sm text-muted-foreground wrap-anywhere">{detail}</div>}
        </div>
        {actions && <div className="ml-auto flex max-w-full flex-wrap items-center justify-end gap-1">{actions}</div>}
      </div>
      {children}
    </div>
  );
}
