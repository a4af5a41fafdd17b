import { Fragment, useId, useState } from "react";
import { Badge } from "../ui/Badge";
import { Icon } from "../ui/Icon";
import { namesIn, type Names } from "./callwords";
import type { Block, ToolCall } from "./outline";
import { Reasoning } from "./Reasoning";
import { sideBySide, totalOf, took, type StepsBlock, type ToolBlock } from "./steps";
import { ToolStep } from "./ToolStep";

/** A finished timeline of more steps than this begins folded. */
const fewSteps = 4;

interface ToolTimelineProps {
  steps: StepsBlock["steps"];
  /** All that the answer shows: names of things are known from other calls. */
  answer: readonly Block[];
  /** The turn may still write to the message. */
  live: boolean;
}

/** Consecutive tool calls, with their outcomes and durations. Several fold; failed and pending ones stay visible. */
export function ToolTimeline({ steps, answer, live }: ToolTimelineProps) {
  const calls = callsOf(steps);
  const [open, setOpen] = useState(live || calls.length <= fewSteps);
  const names = useNames(callsOf(answer));
  const list = useId();
  const several = calls.length > 1;
  const shown = open || !several ? steps : steps.filter((step) => step.kind === "tool" && stays(step.call));
  return (
    <div className="text-sm" data-testid="tool-timeline">
      {several && (
        <button
          aria-controls={list}
          aria-expanded={open}
          className="flex items-center gap-2 rounded-md py-0.5 pr-2 text-muted-foreground hover:text-foreground pointer-coarse:min-h-8"
          data-testid="timeline-fold"
          onClick={() => setOpen(!open)}
          type="button"
        >
          <Icon className={`transition-transform ${open ? "rotate-90" : ""}`} name="chevron" size={15} />
          <span className="tabular-nums">{summaryOf(calls)}</span>
          <Counts calls={calls} />
        </button>
      )}
      <ol
        aria-label="Steps"
        className={`flex flex-col ${several ? "mt-0.5 ml-[7px] border-l pl-3" : ""}`}
        hidden={shown.length === 0}
        id={list}
      >
        {sideBySide(shown).flatMap((run) =>
          run.map((step, index) => (
            <li
              className={run.length > 1 ? "-ml-[13px] border-l-2 border-primary pl-[11px]" : ""}
              data-together={run.length > 1 || undefined}
              key={step.key}
            >
              {run.length > 1 && index === 0 && (
                <p className="text-xs text-muted-foreground">{run.length} at the same time</p>
              )}
              {step.kind === "tool" ? (
                <ToolStep call={step.call} names={names} />
              ) : (
                <Reasoning streaming={step.streaming} text={step.text} />
              )}
            </li>
          )),
        )}
      </ol>
    </div>
  );
}

const callsOf = (blocks: readonly { kind: string }[]) =>
  blocks.filter((block): block is ToolBlock => block.kind === "tool").map(({ call }) => call);

/** Names are looked for when a call has ended, and not with each word that comes after it. */
function useNames(calls: ToolCall[]): Names {
  const key = calls.map(({ id, state }) => `${id} ${state}`).join();
  const [known, setKnown] = useState(() => ({ key, names: namesIn(calls) }));
  if (known.key === key) return known.names;
  const names = namesIn(calls);
  setKnown({ key, names });
  return names;
}

const stays = ({ state }: ToolCall) => state === "error" || state === "waiting" || state === "running";

/** "5 steps, 3.2 s". */
function summaryOf(calls: ToolCall[]): string {
  const total = totalOf(calls);
  const running = calls.some(({ state }) => state === "running");
  return `${calls.length} steps${total === null ? "" : `, ${took(total)}`}${running ? " so far" : ""}`;
}

const counted = [
  { state: "error", word: "failed", tone: "danger" },
  { state: "waiting", word: "waiting", tone: "primary" },
  { state: "declined", word: "declined", tone: "neutral" },
] as const;

function Counts({ calls }: { calls: ToolCall[] }) {
  return counted.map(({ state, word, tone }) => {
    const count = calls.filter((call) => call.state === state).length;
    return count === 0 ? null : (
      <Fragment key={state}>
        <span className="sr-only">, </span>
        <Badge tone={tone}>
          {count} {word}
        </Badge>
      </Fragment>
    );
  });
}
