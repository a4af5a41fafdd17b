import { useQuery } from "@tanstack/react-query";
import { consumersQuery, type EventConsumer } from "../api/events";
import { lasting } from "../health/format";
import { Badge, type Tone } from "../ui/Badge";
import { Button } from "../ui/Button";
import { ErrorNotice, SkeletonRows } from "../ui/Notice";
import { Panel } from "../ui/Page";
import { fullTime } from "../ui/time";

/** The parts of the product that follow events, with what each has still to do. */
export function EventConsumers() {
  const { data: consumers, error, refetch } = useQuery(consumersQuery);
  return (
    <Panel
      actions={
        <Button icon="repeat" onClick={() => void refetch()}>
          Refresh
        </Button>
      }
      title="Event consumers"
    >
      {!consumers && (error ? <ErrorNotice error={error} onRetry={() => void refetch()} /> : <SkeletonRows rows={2} />)}
      {consumers?.length === 0 && (
        <p className="text-sm text-muted-foreground">
          No consumers yet. Parts of Countersign that react to events appear here.
        </p>
      )}
      {consumers && consumers.length > 0 && (
        <ul aria-label="Event consumers" className="-m-4 divide-y" data-testid="consumers">
          {consumers.map((consumer) => (
            <Consumer consumer={consumer} key={consumer.name} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

/** The counted depth ends at 1,000 events in each of the 16 lanes. */
const mostDepth = 16_000;

function Consumer({ consumer }: { consumer: EventConsumer }) {
  const { label, tone, hint } = stateOf(consumer);
  const facts: [name: string, value: string][] = [
    ["Depth", (consumer.depth >= mostDepth ? "over " : "") + consumer.depth.toLocaleString()],
    ["Lag", consumer.lagMs < 1_000 ? "none" : lasting(consumer.lagMs)],
    ["Retries", consumer.waiting.toLocaleString()],
    ["Pending workflows", consumer.dispatches.toLocaleString()],
    ["Dead letters", consumer.parked.toLocaleString()],
  ];
  return (
    <li className="px-4 py-3 text-sm" data-testid="consumer">
      <p className="flex flex-wrap items-center gap-2">
        <span className="font-medium wrap-anywhere">{consumer.name}</span>
        <Badge tone={tone}>{label}</Badge>
      </p>
      {hint && <p className="mt-0.5 text-muted-foreground">{hint}</p>}
      <dl className="mt-2 flex flex-wrap gap-x-8 gap-y-2">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt className="text-xs text-muted-foreground">{name}</dt>
            <dd className="tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
    </li>
  );
}

function stateOf({ absent, overdue, parked, runAt }: EventConsumer): { label: string; tone: Tone; hint?: string } {
  if (absent) return { label: "Not running", tone: "danger", hint: `No process has run it since ${fullTime(runAt)}.` };
  if (overdue) return { label: "Behind", tone: "danger", hint: "Events older than 30 days are kept for it." };
  if (parked > 0) return { label: "Has dead letters", tone: "warning" };
  return { label: "Running", tone: "success" };
}
