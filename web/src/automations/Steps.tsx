import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { automationStepsQuery, type AutomationRun, type AutomationStep } from "../api/automations";
import { TextBlock } from "../scripts/Blocks";
import { Badge } from "../ui/Badge";
import { Button } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { ErrorNotice, SkeletonRows } from "../ui/Notice";
import { Panel } from "../ui/Page";
import { fullTime } from "../ui/time";
import { StepStatusBadge } from "./Badges";
import { isOver, sawOf, took } from "./words";

/** Steps of a run that goes on are read this often: changes are about runs, not about steps. */
const pollMilliseconds = 3_000;

/** The steps of a run in the order in which they began. */
export function Steps({ run }: { run: AutomationRun }) {
  const over = isOver(run);
  const steps = useInfiniteQuery({
    ...automationStepsQuery(run.id),
    // More loaded pages stay as they are.
    refetchInterval: ({ state }) => (over || (state.data?.pages.length ?? 0) > 1 ? false : pollMilliseconds),
  });
  const list = steps.data?.pages.flatMap((page) => page.steps);
  return (
    <Panel title="Steps">
      <ErrorNotice error={steps.error} onRetry={() => void steps.refetch()} />
      {!list && !steps.error && <SkeletonRows />}
      {list?.length === 0 && (
        <p className="text-sm text-muted-foreground">{over ? "No step ran." : "No step has begun yet."}</p>
      )}
      {list && list.length > 0 && (
        <ol aria-label="Steps" className="-mx-4 divide-y border-y" data-testid="run-steps">
          {list.map((step) => (
            <StepRow key={`${step.path} ${step.iteration} ${step.attempt}`} step={step} />
          ))}
        </ol>
      )}
      {steps.hasNextPage && (
        <Button
          busy={steps.isFetchingNextPage}
          className="mx-auto mt-3 flex"
          onClick={() => void steps.fetchNextPage()}
        >
          Show more
        </Button>
      )}
    </Panel>
  );
}

function StepRow({ step }: { step: AutomationStep }) {
  const [open, setOpen] = useState(false);
  const { path, iteration, attempt, stepId, kind, action, status, reason, dueAt, startedAt, endedAt } = step;
  const saw = sawOf(step.output);
  const detailed = step.input !== undefined || step.output !== undefined;
  const name = action ?? kind;
  return (
    <li className="flex flex-col gap-1 px-4 py-2 text-sm" data-status={status} data-testid="run-step">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="font-medium wrap-anywhere">{stepId ? `${stepId}: ${name}` : name}</span>
        <StepStatusBadge status={status} />
        {iteration && <Badge>Iteration {iteration}</Badge>}
        {attempt > 1 && <Badge>Attempt {attempt}</Badge>}
        <code className="font-mono text-xs text-muted-foreground wrap-anywhere">{path}</code>
        <span className="ml-auto flex items-center gap-2 text-muted-foreground tabular-nums">
          <time dateTime={startedAt}>{fullTime(startedAt)}</time>
          {endedAt && took(startedAt, endedAt)}
        </span>
      </div>
      {status === "waiting" && dueAt && (
        <p className="text-muted-foreground">
          Waiting until <time dateTime={dueAt}>{fullTime(dueAt)}</time> at the latest
        </p>
      )}
      {reason && <p className="wrap-anywhere">{reason}</p>}
      {saw.length > 0 && (
        <dl aria-label="Values it saw" className="flex flex-col gap-0.5 text-xs" data-testid="saw">
          {saw.map(([expression, value]) => (
            <div className="flex flex-wrap gap-x-2 font-mono" key={expression}>
              <dt className="text-muted-foreground wrap-anywhere">{expression}</dt>
              <dd className="wrap-anywhere">{value}</dd>
            </div>
          ))}
        </dl>
      )}
      {detailed && (
        <button
          aria-expanded={open}
          aria-label={`Input and output of ${path}`}
          className="inline-flex items-center gap-1 self-start text-muted-foreground hover:text-foreground"
          onClick={() => setOpen(!open)}
          type="button"
        >
          <Icon className={open ? "rotate-90" : ""} name="chevron" size={14} />
          Input and output
        </button>
      )}
      {open && step.input !== undefined && (
        <TextBlock label="Input" testId="step-input">
          {JSON.stringify(step.input, null, 2)}
        </TextBlock>
      )}
      {open && step.output !== undefined && (
        <TextBlock label="Output" testId="step-output">
          {JSON.stringify(step.output, null, 2)}
        </TextBlock>
      )}
    </li>
  );
}
