import type { Browser, Page } from "playwright-core";

interface TraceEvent {
  ph: string;
  pid: number;
  tid: number;
  name: string;
  ts: number;
  dur?: number;
  /** The time that a processor spent on it, in microseconds. */
  tdur?: number;
  args: { name?: string };
}

/**
 * How long the tasks of a page kept a processor busy while something was done, longest first, in ms. Unlike the time on the clock
 * this is not longer where everything waits for a processor. One browser does it once at a time.
 */
export async function busyTasks(browser: Browser, page: Page, act: () => Promise<unknown>): Promise<number[]> {
  await browser.startTracing(page, { categories: ["toplevel", "__metadata"] });
  let traced: Buffer;
  try {
    await act();
    // The last drawing ends before the next frame but one.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 100))));
  } finally {
    traced = await browser.stopTracing();
  }
  return tasksOf((JSON.parse(traced.toString()) as { traceEvents: TraceEvent[] }).traceEvents);
}

const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`;

const sum = (all: number[]) => all.reduce((total, one) => total + one, 0);

/** Those of the page that has done most: a browser has others in store. */
function tasksOf(events: TraceEvent[]): number[] {
  const mains = new Set(
    events
      .filter(({ ph, name, args }) => ph === "M" && name === "thread_name" && args.name === "CrRendererMain")
      .map(threadOf),
  );
  const tasks = events.filter(
    (event) => event.ph === "X" && event.name.endsWith("RunTask") && mains.has(threadOf(event)),
  );
  const threads = Object.values(Object.groupBy(tasks, threadOf)).map((all) =>
    outermost(all ?? [])
      .map(({ tdur = 0 }) => tdur / 1_000)
      .toSorted((a, b) => b - a),
  );
  return threads.toSorted((a, b) => sum(b) - sum(a))[0] ?? [];
}

/** A task may run others while it waits. */
function outermost(tasks: TraceEvent[]): TraceEvent[] {
  let end = -1;
  return tasks
    .toSorted((a, b) => a.ts - b.ts || (b.dur ?? 0) - (a.dur ?? 0))
    .filter(({ ts, dur = 0 }) => {
      if (ts < end) return false;
      end = ts + dur;
      return true;
    });
}
