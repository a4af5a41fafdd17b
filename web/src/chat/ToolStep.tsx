import { lazy, Suspense, useId, useState } from "react";
import { loaded } from "../api/reach";
import { Spinner } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { LocalLink } from "../ui/LocalLink";
import { Skeleton } from "../ui/Notice";
import { useNow } from "../ui/time";
import { saidOf, type Names } from "./callwords";
import type { ToolCall } from "./outline";
import { sourceOf } from "./sources";
import { took } from "./steps";
import { describeTool, withoutToolNames } from "./verbs";

// Details of a call are opened seldom, and scripts are few, so they load on demand.
const ScriptVerdict = lazy(() => loaded(() => import("../scripts/ScriptVerdict")));
const ToolDetail = lazy(() => loaded(() => import("./ToolDetail")));

const isScriptTest = /[._]testScript$/;

/** One tool call as a line with action, outcome and duration, which opens to show input and output. */
export function ToolStep({ call, names }: { call: ToolCall; names: Names }) {
  const [open, setOpen] = useState(false);
  const details = useId();
  const { state } = call;
  const failed = state === "error";
  const source = sourceOf(call);
  const said = source ? "" : saidOf(call, names);
  return (
    <div className="text-sm" data-state={state} data-testid="tool-line">
      <button
        aria-controls={details}
        aria-expanded={open}
        className={
          "group flex max-w-full min-w-0 items-center gap-2 rounded-md py-0.5 pr-2 text-left " +
          `pointer-coarse:min-h-8 ${failed ? "text-danger" : "text-muted-foreground hover:text-foreground"}`
        }
        onClick={() => setOpen(!open)}
        title={call.name}
        type="button"
      >
        <StateIcon state={state} />
        <span className="min-w-0 sm:flex sm:items-baseline sm:gap-x-2">
          <span className="shrink-0">{describeTool(call.name, state)}</span>
          {said && (
            <>
              <span className="sr-only">: </span>
              <bdi className="line-clamp-1 min-w-0 text-xs wrap-anywhere" data-testid="tool-said">
                {said}
              </bdi>
            </>
          )}
        </span>
        {isScriptTest.test(call.name) && (
          <Suspense>
            <ScriptVerdict call={call} />
          </Suspense>
        )}
        <Time call={call} />
        <Icon
          className={`opacity-50 transition-transform group-hover:opacity-100 ${open ? "rotate-90" : ""}`}
          name="chevron"
          size={13}
        />
      </button>
      {source && (
        <LocalLink
          className="mt-0.5 ml-6 block w-fit text-primary underline-offset-2 hover:underline"
          data-testid="tool-source"
          href={source.link}
        >
          {source.title}
        </LocalLink>
      )}
      {failed && call.errorText && !open && (
        <p className="mt-0.5 line-clamp-2 pl-6 text-xs text-muted-foreground" title={call.errorText}>
          {withoutToolNames(call.errorText)}
        </p>
      )}
      <div className="mt-1.5 mb-2 flex flex-col gap-2 pl-6" hidden={!open} id={details}>
        {open && (
          <Suspense fallback={<Skeleton className="h-16 w-full" />}>
            <ToolDetail call={call} names={names} />
          </Suspense>
        )}
      </div>
    </div>
  );
}

/** How long the call took, or for how long it has been running. */
function Time({ call: { state, timing } }: { call: ToolCall }) {
  if (timing?.tookMs !== undefined) {
    return (
      <>
        <span className="sr-only">, </span>
        <span className="shrink-0 text-xs tabular-nums" data-testid="tool-took">
          {took(timing.tookMs)}
        </span>
      </>
    );
  }
  const since = state === "running" ? Date.parse(timing?.askedAt ?? "") : NaN;
  return Number.isNaN(since) ? null : <Clock since={since} />;
}

/** It ticks in a log that is read aloud, and is left out there. */
function Clock({ since }: { since: number }) {
  const now = useNow(200);
  return (
    <span aria-hidden="true" className="shrink-0 text-xs tabular-nums" data-testid="tool-clock">
      {(Math.max(0, now - since) / 1_000).toFixed(1)} s
    </span>
  );
}

function StateIcon({ state }: { state: ToolCall["state"] }) {
  switch (state) {
    case "running":
      return <Spinner />;
    case "done":
      return <Icon className="text-success" name="check" size={15} />;
    case "error":
      return <Icon name="alert" size={15} />;
    case "waiting":
      return <Icon name="clock" size={15} />;
    case "declined":
      return <Icon name="close" size={15} />;
    case "interrupted":
      return <Icon name="stop" size={15} />;
  }
}
