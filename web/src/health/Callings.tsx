import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { callingsQuery, liveInterval, type Calling } from "../api/health";
import { Badge } from "../ui/Badge";
import { Button } from "../ui/Button";
import { ErrorNotice, SkeletonRows } from "../ui/Notice";
import { Panel } from "../ui/Page";
import { fullTime } from "../ui/time";

/** The strategy whose targets are jobs that call in. */
export const heartbeatStrategy = "healthcheck-heartbeat.heartbeat";

/** Where the jobs of a heartbeat check call in. The addresses are credentials: it is shown to who may change the check. */
export function Callings({ checkId }: { checkId: string }) {
  const callings = useInfiniteQuery({ ...callingsQuery(checkId), refetchInterval: liveInterval });
  const list = callings.data?.pages.flatMap((page) => page.heartbeats);
  return (
    <Panel title="Where the jobs call in">
      {!list && (callings.error ? <ErrorNotice error={callings.error} /> : <SkeletonRows rows={2} />)}
      {list?.length === 0 && (
        <p className="text-sm text-muted-foreground">
          Assign the check to a system: its job gets an address of its own to call in at.
        </p>
      )}
      {list && list.length > 0 && (
        <>
          <p className="mb-4 text-sm text-muted-foreground">
            The last line of a job sends a POST to its address. Whoever has the address can say how the job fares, so
            keep it where the job keeps its passwords.
          </p>
          <ul aria-label="Where the jobs call in" className="-mx-4 -mb-4 divide-y border-t">
            {list.map((calling) => (
              <Place calling={calling} key={calling.targetId} />
            ))}
          </ul>
        </>
      )}
      {callings.hasNextPage && (
        <Button busy={callings.isFetchingNextPage} className="mt-6" onClick={() => void callings.fetchNextPage()}>
          Show more
        </Button>
      )}
    </Panel>
  );
}

function Place({ calling }: { calling: Calling }) {
  const command = `curl -fsS -X POST ${calling.url}`;
  return (
    <li className="px-4 py-3" data-testid="calling">
      <div className="flex flex-wrap items-center gap-2">
        <span className="font-medium wrap-anywhere">
          {calling.environment ? `${calling.systemName}, ${calling.environment}` : calling.systemName}
        </span>
        {!calling.active && <Badge tone="warning">Does not run</Badge>}
      </div>
      <p className="text-sm text-muted-foreground wrap-anywhere">{lastWords(calling)}</p>
      <code className="mt-2 block rounded-lg border bg-muted p-3 font-mono text-xs break-all select-all">
        {command}
      </code>
      <div className="mt-2 flex flex-wrap gap-2">
        <Copy label="Copy address" text={calling.url} />
        <Copy label="Copy command" text={command} />
        <Copy label="Copy command for failures" text={`${command}/fail`} />
      </div>
    </li>
  );
}

function lastWords({ lastAt, failed, message }: Calling): string {
  if (!lastAt) return "It has never called in.";
  const said = failed ? "said that it has failed" : "called in";
  return `It ${said} ${fullTime(lastAt)}${message ? `: ${message}` : "."}`;
}

function Copy({ label, text }: { label: string; text: string }) {
  const [copied, setCopied] = useState(false);
  return (
    <Button
      icon={copied ? "check" : "copy"}
      onBlur={() => setCopied(false)}
      onClick={() => void navigator.clipboard?.writeText(text).then(() => setCopied(true))}
    >
      {copied ? "Copied" : label}
    </Button>
  );
}
