import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, type ReactNode, type Ref } from "react";
import {
  modelCheckQuery,
  modelChecksQuery,
  passRate,
  stopModelCheck,
  type ModelCheckOutcome,
  type ModelCheckReport as Report,
} from "../api/modelchecks";
import { useWrite } from "../api/write";
import { Badge } from "../ui/Badge";
import { Button } from "../ui/Button";
import { ErrorNotice, SkeletonRows } from "../ui/Notice";
import { Panel } from "../ui/Page";
import { fullTime } from "../ui/time";
import { kindNames, percent, seconds, tally, troubles } from "./modelcheckwords";

/** A check as it goes, with another one beside it. */
export function ModelCheckReport({ id, beside }: { id: string; beside: string | undefined }) {
  const { data: report, error, refetch } = useQuery(modelCheckQuery(id));
  const other = useQuery({ ...modelCheckQuery(beside ?? ""), enabled: beside !== undefined });
  const said = useRef<HTMLParagraphElement>(null);
  const stop = useWrite({
    send: (check: string) => stopModelCheck(check),
    invalidates: [modelChecksQuery.queryKey],
    // The button disappears, so focus moves to the result.
    onSuccess: () => said.current?.focus(),
  });
  const queryClient = useQueryClient();
  const ended = report && report.status !== "running";
  // The list below is read less often, and would say for a while that the check still runs.
  useEffect(() => {
    if (ended) void queryClient.invalidateQueries({ queryKey: modelChecksQuery.queryKey, exact: true });
  }, [queryClient, ended]);
  return (
    <>
      <ErrorNotice error={error} onRetry={() => void refetch()} />
      <ErrorNotice error={other.error} onRetry={() => void other.refetch()} />
      <ErrorNotice error={stop.error} />
      {!report && !error && <SkeletonRows />}
      {report && (
        <Panel
          actions={
            report.status === "running" && (
              <Button busy={stop.isPending} onClick={() => stop.mutate(report.id)}>
                Stop
              </Button>
            )
          }
          title={`Results of ${report.model}`}
        >
          <div className="flex flex-col gap-5" data-testid="model-check-report">
            <Progress report={report} said={said} />
            <Comparison other={beside ? other.data : undefined} report={report} />
            <Troubles outcomes={report.outcomes} />
          </div>
        </Panel>
      )}
    </>
  );
}

function Progress({ report, said }: { report: Report; said: Ref<HTMLParagraphElement> }) {
  const words = {
    running: `${report.played} of ${report.total} situations are played.`,
    done: `All ${report.total} situations were played.`,
    stopped: `Stopped after ${report.played} of ${report.total} situations.`,
    interrupted: `Interrupted after ${report.played} of ${report.total} situations: its process ended.`,
  };
  return (
    <div>
      <p className="text-sm" ref={said} role="status" tabIndex={-1}>
        {words[report.status]}
      </p>
      {report.status === "running" && (
        <progress
          aria-label="Situations played"
          className={
            "mt-1 block h-2 w-full appearance-none overflow-hidden rounded-full bg-muted " +
            "[&::-moz-progress-bar]:bg-primary [&::-webkit-progress-bar]:bg-muted " +
            "[&::-webkit-progress-value]:bg-primary"
          }
          max={report.total}
          value={report.played}
        />
      )}
    </div>
  );
}

const tokens = (n: number) => n.toLocaleString();

/** All numbers, one check a column. */
function Comparison({ report, other }: { report: Report; other: Report | undefined }) {
  const columns = other ? [report, other] : [report];
  const kinds = [...new Set(columns.flatMap((one) => one.kinds.map(({ kind }) => kind)))];
  const line = (name: string, value: (one: Report) => ReactNode) => (
    <tr className="border-t" key={name}>
      <th className="py-1.5 pr-3 text-left font-normal" scope="row">
        {name}
      </th>
      {columns.map((one) => (
        <td className="py-1.5 pr-3 text-right tabular-nums" key={one.id}>
          {value(one)}
        </td>
      ))}
    </tr>
  );
  return (
    <div className="overflow-x-auto">
      <table className="w-full text-sm" data-testid="model-check-table">
        <caption className="sr-only">Passed situations by kind</caption>
        <thead>
          <tr>
            <th className="py-1.5 pr-3 text-left font-medium" scope="col">
              Kind
            </th>
            {columns.map((one) => (
              <th className="py-1.5 pr-3 text-right font-medium wrap-anywhere" key={one.id} scope="col">
                {one.connectionName}, {one.model}
                <span className="block text-xs font-normal text-muted-foreground">{fullTime(one.createdAt)}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {kinds.map((kind) =>
            line(kindNames[kind] ?? kind, (one) => {
              const found = one.kinds.find((each) => each.kind === kind);
              if (!found) return "–";
              return tally(found);
            }),
          )}
          {line("Passed", (one) => (
            <strong>{percent(passRate(one))}</strong>
          ))}
          {line("Errors", (one) => one.errors)}
          {line("Tokens in and out", (one) => `${tokens(one.inputTokens)} / ${tokens(one.outputTokens)}`)}
          {line("Time", seconds)}
          {line("Cost", (one) => (one.cost === undefined ? "–" : one.cost.toFixed(4)))}
        </tbody>
      </table>
    </div>
  );
}

/** Situations that were not passed, each with the expectation and the model's action. */
function Troubles({ outcomes }: { outcomes: readonly ModelCheckOutcome[] }) {
  const found = troubles(outcomes);
  if (found.length === 0) return null;
  return (
    <section aria-labelledby="model-check-troubles">
      <h3 className="mb-2 text-sm font-semibold" id="model-check-troubles">
        Not passed
      </h3>
      <ul className="divide-y rounded-lg border">
        {found.map((outcome) => (
          <li key={outcome.number}>
            <details className="px-3 py-2">
              <summary className="cursor-pointer text-sm">
                <span className="font-medium">{outcome.situation}</span>{" "}
                <Badge tone="warning">{outcome.verdict === "error" ? "could not be played" : "failed"}</Badge>{" "}
                <span className="text-muted-foreground">{outcome.about}</span>
              </summary>
              <ul className="mt-2 list-disc space-y-1 pl-5 text-sm">
                {[...new Set(outcome.reasons)].map((reason) => (
                  <li className="wrap-anywhere" key={reason}>
                    {reason}
                  </li>
                ))}
              </ul>
              <dl className="mt-2 space-y-1 text-xs">
                {outcome.shown.map((line, at) => (
                  // oxlint-disable-next-line react/no-array-index-key -- lines never move
                  <div className="flex gap-2" key={at}>
                    <dt className="w-14 shrink-0 text-muted-foreground">{line.who}</dt>
                    <dd className="min-w-0 whitespace-pre-wrap wrap-anywhere">{line.text}</dd>
                  </div>
                ))}
              </dl>
            </details>
          </li>
        ))}
      </ul>
    </section>
  );
}
