import { useLayoutEffect, useRef, type ComponentProps } from "react";

/**
 * A table as wide as its place. When its columns do not fit without words being broken, its rows are read from top to
 * bottom instead, each value after the heading of its column. Its roles say that it is a table all the same.
 */
export function Table({ children, role }: ComponentProps<"table">) {
  const frame = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => (frame.current ? fitted(frame.current) : undefined), []);
  return (
    <div className="table-frame" data-testid="table" ref={frame}>
      <table role={role}>{children}</table>
    </div>
  );
}

export const TableHead = ({ children, role }: ComponentProps<"thead">) => <thead role={role}>{children}</thead>;
export const TableBody = ({ children, role }: ComponentProps<"tbody">) => <tbody role={role}>{children}</tbody>;
export const TableRow = ({ children, role }: ComponentProps<"tr">) => <tr role={role}>{children}</tr>;

type CellProps = ComponentProps<"td"> & { "data-title"?: string; "data-long"?: string };

export const TableTitle = ({ children, role, style, "data-long": long }: CellProps) => (
  <th data-long={long} role={role} scope="col" style={style}>
    {children}
  </th>
);
export const TableCell = ({ children, role, style, "data-title": title, "data-long": long }: CellProps) => (
  <td data-long={long} data-title={title} role={role} style={style}>
    {children}
  </td>
);

/** How wide the tables have to be that are read from top to bottom. */
const needed = new WeakMap<HTMLElement, number>();
const waiting = new Set<HTMLElement>();
let observer: ResizeObserver | undefined;

/** Keeps a table in the form that fits. Returns what ends it. */
function fitted(frame: HTMLElement): (() => void) | undefined {
  if (typeof ResizeObserver === "undefined") return;
  observer ??= new ResizeObserver((entries) => fit(entries.map(({ target }) => frameOf(target)).filter(isFrame)));
  const all = observer;
  const parts = [frame, ...frame.children];
  for (const part of parts) all.observe(part);
  if (waiting.size === 0) {
    queueMicrotask(() => {
      fit([...waiting]);
      waiting.clear();
    });
  }
  waiting.add(frame);
  return () => {
    waiting.delete(frame);
    for (const part of parts) all.unobserve(part);
  };
}

const frameOf = (element: Element) => element.closest<HTMLElement>(".table-frame");
const isFrame = (frame: HTMLElement | null): frame is HTMLElement => frame !== null;

/** All are measured before one is changed, as each change would cause a new layout of the page. */
function fit(frames: HTMLElement[]): void {
  const measured = frames.map((frame) => ({
    frame,
    room: frame.clientWidth,
    width: frame.firstElementChild instanceof HTMLElement ? frame.firstElementChild.offsetWidth : 0,
  }));
  for (const { frame, room, width } of measured) {
    const stacked = "stacked" in frame.dataset;
    if (room === 0) continue;
    if (!stacked && width > room + 1) {
      needed.set(frame, width);
      frame.dataset.stacked = "";
    } else if (stacked && room >= (needed.get(frame) ?? 0)) {
      delete frame.dataset.stacked;
    }
  }
}
