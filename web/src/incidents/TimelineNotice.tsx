import type { TimelineEntry } from "../api/incidents";
import { Badge } from "../ui/Badge";

type Notice = NonNullable<TimelineEntry["notice"]>;
type State = Notice["receivers"][number]["state"];

const channels: Record<Notice["receivers"][number]["channelKind"], string> = {
  email: "E-mail",
  webhook: "Webhook",
  slack: "Slack",
  teams: "Teams",
  discord: "Discord",
  ntfy: "ntfy",
  push: "Push",
};

const tones: Partial<Record<State, "success" | "warning" | "danger">> = {
  sent: "success",
  unknown: "warning",
  failed: "danger",
};

/** A step of an escalation, or messages about an incident, with what became of them. */
export function TimelineNotice({ entry: { call, notice } }: { entry: TimelineEntry }) {
  if (!call && !notice) return null;
  const people = call?.people.map((name) => name || "a former account").join(", ");
  return (
    <div className="flex flex-col gap-1" data-testid="told">
      {call && (
        <span>
          {`Step ${call.step} of ${call.policyName}`}
          {call.round > 1 && `, round ${call.round}`}
          {people && `, called ${people}`}
          {call.hidden
            ? " (reached nobody: none of them may see the incident)"
            : call.unreached > 0 && ` (${call.unreached} not reachable)`}
        </span>
      )}
      {notice && !call && <span>{`${notice.label ?? notice.topic}${notice.phase === "recovery" ? ", end" : ""}`}</span>}
      {notice && <Receivers notice={notice} />}
    </div>
  );
}

function Receivers({ notice }: { notice: Notice }) {
  const more = notice.messages - notice.receivers.length;
  return (
    <ul className="flex flex-wrap gap-x-3 gap-y-1 text-xs text-muted-foreground">
      {notice.receivers.map(({ channelKind, personName, state }, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- a receiver is what stands at its place
        <li className="flex items-center gap-1" key={at}>
          {channels[channelKind]}
          {personName && ` to ${personName}`} <Badge tone={tones[state] ?? "neutral"}>{state}</Badge>
        </li>
      ))}
      {more > 0 && <li>{`and ${more} others, ${notice.sent} of ${notice.messages} sent`}</li>}
    </ul>
  );
}
