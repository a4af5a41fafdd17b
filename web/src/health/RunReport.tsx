import { useQuery } from "@tanstack/react-query";
import { kindsQuery, type CollectorReport, type FailedTry } from "../api/health";
import { Icon } from "../ui/Icon";
import { duration } from "./format";
import { nameInWords } from "./form/schema";
import { useHealthPermission } from "./permission";

/** The report of a run or draft: each collector with its assertions and result. */
export function RunReport({ report }: { report: { collectors: CollectorReport[]; earlierTries: FailedTry[] } }) {
  const { read } = useHealthPermission();
  // Readers without access to checks see the ids of collectors.
  const { data: kinds } = useQuery({ ...kindsQuery, enabled: read });
  const nameOf = (id: string) =>
    kinds?.strategies.flatMap(({ collectors }) => collectors).find((kind) => kind.id === id)?.name ?? id;
  if (report.collectors.length === 0) return null;
  return (
    <div className="flex flex-col gap-4" data-testid="run-report">
      <EarlierTries tries={report.earlierTries} />
      {report.collectors.map((collector) => (
        <CollectorSection collector={collector} key={collector.id} name={nameOf(collector.collectorId)} />
      ))}
    </div>
  );
}

function EarlierTries({ tries }: { tries: FailedTry[] }) {
  if (tries.length === 0) return null;
  return (
    <section className="flex min-w-0 flex-col gap-2" data-testid="earlier-tries">
      <h3 className="text-sm font-medium">Earlier tries of this run</h3>
      <ol className="list-decimal pl-5 text-sm wrap-anywhere">
        {tries.map(({ message, tookMs }, index) => (
          // Tries have no identity of their own and never move.
          // oxlint-disable-next-line react/no-array-index-key
          <li key={index}>
            <span className="text-danger">{message}</span>{" "}
            <span className="text-muted-foreground">after {duration(tookMs)}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

function CollectorSection({ collector, name }: { collector: CollectorReport; name: string }) {
  const { assertions } = collector;
  const result = (collector.result ?? {}) as Record<string, unknown>;
  return (
    <section className="flex min-w-0 flex-col gap-2">
      <h3 className="text-sm font-medium">
        {name}{" "}
        {assertions.length > 0 && (
          <span className="font-normal text-muted-foreground">
            {assertions.filter(({ held }) => held).length} of {assertions.length} assertions passed
          </span>
        )}
      </h3>
      {collector.error && <p className="text-sm wrap-anywhere text-danger">{collector.error}</p>}
      {assertions.length > 0 && (
        <ul className="flex flex-col gap-1.5">
          {assertions.map((assertion, index) => (
            <li
              className="flex items-start gap-2 text-sm"
              data-held={assertion.held}
              data-testid="assertion-result"
              // Assertions have no identity of their own and never move.
              // oxlint-disable-next-line react/no-array-index-key
              key={index}
            >
              <span className={assertion.held ? "text-success" : "text-danger"}>
                <Icon className="mt-0.5" name={assertion.held ? "check" : "close"} size={16} />
                <span className="sr-only">{assertion.held ? "Passed: " : "Failed: "}</span>
              </span>
              <span className="min-w-0 wrap-anywhere">
                {assertion.text}
                {assertion.observed !== undefined && (
                  <span className="text-muted-foreground">
                    {" "}
                    · found <Value value={assertion.observed} />
                  </span>
                )}
                {assertion.problem && <span className="text-muted-foreground"> · {assertion.problem}</span>}
              </span>
            </li>
          ))}
        </ul>
      )}
      {Object.keys(result).length > 0 && (
        <details className="rounded-lg border" data-testid="run-result">
          <summary className="px-3 py-1.5 text-sm">Response</summary>
          <dl className="divide-y border-t text-sm">
            {Object.entries(result).map(([field, value]) => (
              <div className="grid gap-x-3 px-3 py-1.5 sm:grid-cols-[10rem_minmax(0,1fr)]" key={field}>
                <dt className="text-muted-foreground" title={field}>
                  {nameInWords(field)}
                </dt>
                <dd className="min-w-0">
                  <Value value={value} />
                </dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </section>
  );
}

function Value({ value }: { value: unknown }) {
  const text = typeof value === "string" ? value : (JSON.stringify(value, null, 1) ?? "");
  if (text.includes("\n") || text.length > 200)
    return (
      <pre className="mt-1 max-h-60 overflow-auto rounded border bg-background p-2 font-mono text-xs whitespace-pre-wrap wrap-anywhere">
        {text}
      </pre>
    );
  return <code className="font-mono text-xs wrap-anywhere">{text === "" ? "(empty)" : text}</code>;
}
