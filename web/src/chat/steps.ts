import type { Block, ToolCall } from "./outline";

type ReasoningBlock = Extract<Block, { kind: "reasoning" }>;
export type ToolBlock = Extract<Block, { kind: "tool" }>;

/** Calls that follow each other, with the thoughts between them. */
export interface StepsBlock {
  kind: "steps";
  key: string;
  steps: (ToolBlock | ReasoningBlock)[];
}

/** Puts calls with nothing but thoughts between them into one block, where the first of them is. */
export function withSteps<Other extends { kind: string }>(blocks: (Block | Other)[]): (Block | Other | StepsBlock)[] {
  const all: (Block | Other | StepsBlock)[] = [];
  let open: StepsBlock | null = null;
  let thoughts: ReasoningBlock[] = [];
  for (const block of blocks) {
    if (isTool(block)) {
      if (open) open.steps.push(...thoughts, block);
      else {
        open = { kind: "steps", key: block.key, steps: [block] };
        all.push(...thoughts, open);
      }
      thoughts = [];
    } else if (block.kind === "reasoning") {
      thoughts.push(block as ReasoningBlock);
    } else {
      all.push(...thoughts, block);
      thoughts = [];
      open = null;
    }
  }
  return [...all, ...thoughts];
}

const isTool = (block: { kind: string }): block is ToolBlock => block.kind === "tool";

/** When a call began and was over, in ms since the epoch; null when that is not known. */
function spanOf({ timing }: ToolCall): { from: number; to: number } | null {
  const from = Date.parse(timing?.startedAt ?? "");
  return Number.isNaN(from) || timing?.tookMs === undefined ? null : { from, to: from + timing.tookMs };
}

/** How long calls took together, in ms, counting once what went on at the same time; null when no time is known. */
export function totalOf(calls: ToolCall[]): number | null {
  const spans = calls.map(spanOf).filter((span) => span !== null);
  if (spans.length === 0) return null;
  spans.sort((one, other) => one.from - other.from);
  let total = 0;
  let until = -Infinity;
  for (const { from, to } of spans) {
    total += Math.max(0, to - Math.max(from, until));
    until = Math.max(until, to);
  }
  return total;
}

/** Runs of steps, of which each with more than one went on at the same time. */
export function sideBySide(steps: StepsBlock["steps"]): StepsBlock["steps"][] {
  const runs: StepsBlock["steps"][] = [];
  let from = NaN;
  let until = -Infinity;
  for (const step of steps) {
    const span = step.kind === "tool" ? spanOf(step.call) : null;
    if (span && (span.from < until || span.from === from)) {
      runs.at(-1)?.push(step);
      until = Math.max(until, span.to);
    } else {
      runs.push([step]);
      from = span?.from ?? NaN;
      until = span?.to ?? -Infinity;
    }
  }
  return runs;
}

/** A time as people say it: "under 0.1 s", "0.4 s", "2 min 5 s". */
export function took(milliseconds: number): string {
  if (milliseconds < 50) return "under 0.1 s";
  if (milliseconds < 60_000) return `${(Math.floor(milliseconds / 100 + 0.5) / 10).toFixed(1)} s`;
  return `${Math.floor(milliseconds / 60_000)} min ${Math.floor((milliseconds % 60_000) / 1_000)} s`;
}
