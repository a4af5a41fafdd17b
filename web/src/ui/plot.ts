import { useEffect, useRef, type RefObject } from "react";
import UPlot from "uplot";
import "uplot/dist/uPlot.min.css";

/** Drawing of a plot, apart from the parts that all plots share. */
export interface Drawing {
  options: Omit<UPlot.Options, "width" | "height" | "legend">;
  data: UPlot.AlignedData;
}

interface PlotOptions {
  /** Another function causes a new drawing. */
  draw: () => Drawing;
  height: number;
  /** The point that is read; null for none. */
  at: number | null;
  /** Hears which point the pointer is at. */
  onRead: (at: number | null) => void;
}

interface Plot {
  frame: RefObject<HTMLDivElement | null>;
  plot: RefObject<UPlot | null>;
}

const leastWidth = 200;

/** A chart on a canvas, as wide as its frame. Only lazily loaded chart modules may import it. */
export function usePlot({ draw, height, at, onRead }: PlotOptions): Plot {
  const frame = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot | null>(null);
  const tell = useRef(onRead);
  useEffect(() => {
    tell.current = onRead;
  });

  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    const { options, data } = draw();
    const width = () => Math.max(leastWidth, element.clientWidth);
    const setCursor = (u: UPlot) => {
      if (u.cursor.event) tell.current(u.cursor.idx ?? null);
    };
    const created = new UPlot(
      {
        ...options,
        width: width(),
        height,
        legend: { show: false },
        hooks: { ...options.hooks, setCursor: [setCursor] },
      },
      data,
      element,
    );
    plot.current = created;
    const resized = new ResizeObserver(() => {
      if (width() !== created.width) created.setSize({ width: width(), height });
    });
    resized.observe(element);
    return () => {
      resized.disconnect();
      plot.current = null;
      created.destroy();
    };
  }, [draw, height]);

  // Moved by the keyboard.
  useEffect(() => {
    const u = plot.current;
    if (!u || u.cursor.idx === at) return;
    const x = at === null ? undefined : u.data[0]?.[at];
    u.setCursor(
      x === undefined ? { left: -10, top: -10 } : { left: u.valToPos(x, "x"), top: u.over.clientHeight / 2 },
      false,
    );
  }, [at]);

  return { frame, plot };
}
