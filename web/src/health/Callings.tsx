import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { serverNow } from "../api/clock";
import { callingsQuery, pollInterval, type Calling } from "../api/health";
import { replaceAddress } from "../api/healthcalls";
import { useWrite } from "../api/write";
import { Badge } from "../ui/Badge";
import { Button } from "../ui/Button";
import { useCopied } from "../ui/copied";
import { ConfirmDialog } from "../ui/Dialog";
import { Checkbox } from "../ui/Field";
import { ErrorNotice, SkeletonRows } from "../ui/Notice";
import { Panel } from "../ui/Page";
import { fullTime } from "../ui/time";

/** The strategy whose targets are jobs that call in. */
export const heartbeatStrategy = "healthcheck-heartbeat.heartbeat";

/** Heartbeat URLs of a check. They are credentials, shown only to users with the right to change the check. */
export function Callings({ checkId }: { checkId: string }) {
  const callings = useInfiniteQuery({ ...callingsQuery(checkId), refetchInterval: pollInterval });
  const list = callings.data?.pages.flatMap((page) => page.heartbeats);
  return (
    <Panel title="Heartbeat addresses">
      {!list && (callings.error ? <ErrorNotice error={callings.error} /> : <SkeletonRows rows={2} />)}
      {list?.length === 0 && (
        <p className="text-sm text-muted-foreground">Assign the check to a system to get an address for its job.</p>
      )}
      {list && list.length > 0 && (
        <>
          <p className="mb-4 text-sm text-muted-foreground">
            The last line of a job sends a POST to its address. Keep the address secret: anyone with it can report for
            the job.
          </p>
          <ul aria-label="Heartbeat addresses" className="-mx-4 -mb-4 divide-y border-t">
            {list.map((calling) => (
              <Place calling={calling} checkId={checkId} key={calling.targetId} />
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

function Place({ calling, checkId }: { calling: Calling; checkId: string }) {
  const [asking, setAsking] = useState(false);
  const [shown, setShown] = useState<string | null>(null);
  const url = shown ?? calling.url;
  return (
    <li className="px-4 py-3" data-testid="calling">
      <div className="flex flex-wrap items-center gap-2">
        <span className="font-medium wrap-anywhere">
          {calling.environment ? `${calling.systemName}, ${calling.environment}` : calling.systemName}
        </span>
        {!calling.active && <Badge tone="warning">Does not run</Badge>}
      </div>
      <p className="text-sm text-muted-foreground wrap-anywhere">{lastWords(calling)}</p>
      {calling.nextDueAt && <p className="text-sm text-muted-foreground">Next due {fullTime(calling.nextDueAt)}.</p>}
      {shown && (
        <p className="mt-2 text-sm font-medium" role="status">
          New address. Copy it now: it is shown once.
        </p>
      )}
      {url ? (
        <Address onReplace={() => setAsking(true)} url={url} />
      ) : (
        <div className="mt-2 flex flex-wrap items-center gap-2">
          <p className="text-sm text-muted-foreground">{replacedWords(calling)}</p>
          <Button icon="repeat" onClick={() => setAsking(true)}>
            Replace the address
          </Button>
        </div>
      )}
      {asking && (
        <ReplaceDialog calling={calling} checkId={checkId} onClose={() => setAsking(false)} onReplaced={setShown} />
      )}
    </li>
  );
}

function Address({ url, onReplace }: { url: string; onReplace: () => void }) {
  const command = `curl -fsS -X POST ${url}`;
  return (
    <>
      <code
        className="mt-2 block rounded-lg border bg-muted p-3 font-mono text-xs break-all select-all"
        data-testid="calling-command"
      >
        {command}
      </code>
      <div className="mt-2 flex flex-wrap gap-2">
        <Copy label="Copy address" text={url} />
        <Copy label="Copy command" text={command} />
        <Copy label="Copy command for failures" text={`${command}/fail`} />
        <Button icon="repeat" onClick={onReplace}>
          Replace the address
        </Button>
      </div>
    </>
  );
}

function replacedWords({ replacedAt, formerUntil }: Calling): string {
  const both = formerUntil && Date.parse(formerUntil) > serverNow();
  return (
    `Its address was replaced ${fullTime(replacedAt ?? "")} and shown ` +
    `then.${both ? ` The previous one works until ${fullTime(formerUntil)}.` : ""}`
  );
}

interface ReplaceDialogProps {
  calling: Calling;
  checkId: string;
  onReplaced: (url: string) => void;
  onClose: () => void;
}

/** Gives a job another address. */
function ReplaceDialog({ calling, checkId, onReplaced, onClose }: ReplaceDialogProps) {
  const [atOnce, setAtOnce] = useState(false);
  const replace = useWrite({
    send: (now: boolean, key) => replaceAddress(checkId, calling.targetId, now, key),
    invalidates: [callingsQuery(checkId).queryKey],
    onSuccess: ({ url }) => {
      onReplaced(url);
      onClose();
    },
  });
  return (
    <ConfirmDialog
      busy={replace.isPending}
      confirmLabel="Replace it"
      error={replace.error}
      onClose={onClose}
      onConfirm={() => replace.mutate(atOnce)}
      testId="replace-address"
      title={`Replace the address for ${calling.systemName}?`}
    >
      <p className="mb-3">The new address is shown once. The old one works for 24 hours.</p>
      <Checkbox
        checked={atOnce}
        hint="For a leaked address. Heartbeats fail until the job uses the new one."
        label="End the old address at once"
        onChange={(event) => setAtOnce(event.currentTarget.checked)}
      />
    </ConfirmDialog>
  );
}

function lastWords({ lastAt, failed, message }: Calling): string {
  if (!lastAt) return "No heartbeat yet.";
  const said = failed ? "reported a failure" : "sent a heartbeat";
  return `It ${said} ${fullTime(lastAt)}${message ? `: ${message}` : "."}`;
}

function Copy({ label, text }: { label: string; text: string }) {
  const { copied, copy, forget } = useCopied();
  return (
    <Button icon={copied ? "check" : "copy"} onBlur={forget} onClick={() => copy(text)}>
      {copied ? "Copied" : label}
    </Button>
  );
}
