import { Badge } from "../ui/Badge";
import { Icon } from "../ui/Icon";
import type { Status, Verdict } from "./status";
import { statusWords, verdictWords } from "./statuswords";

/** A status as a word and a shape; its color only repeats them. */
export function StatusBadge({ status, label }: { status: Status; label?: string }) {
  const words = statusWords[status];
  return (
    <span data-status={status} data-testid="status">
      <Badge tone={words.tone}>
        <Icon name={words.icon} size={14} />
        {label ?? words.label}
      </Badge>
    </span>
  );
}

/** The shape alone, where the word stands beside it or is read to those who do not see it. */
export function StatusIcon({ status, size = 18 }: { status: Status; size?: number }) {
  return (
    <span className={`inline-flex ${statusWords[status].text}`} data-status={status}>
      <Icon name={statusWords[status].icon} size={size} />
      <span className="sr-only">{statusWords[status].label}</span>
    </span>
  );
}

export function VerdictBadge({ verdict }: { verdict: Verdict }) {
  const words = verdictWords[verdict];
  return (
    <span data-testid="verdict" data-verdict={verdict}>
      <Badge title={words.hint} tone={words.tone}>
        <Icon name={words.icon} size={13} />
        {words.label}
      </Badge>
    </span>
  );
}
