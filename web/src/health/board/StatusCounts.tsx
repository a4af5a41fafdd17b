import { Toggle } from "@base-ui/react/toggle";
import { ToggleGroup } from "@base-ui/react/toggle-group";
import type { BoardCounts } from "../../api/health";
import { Icon } from "../../ui/Icon";
import { statuses, type Status } from "../status";
import { statusWords } from "../statuswords";

const countOf = (counts: BoardCounts, status: Status) =>
  status === "partly-unknown" ? counts.partlyUnknown : counts[status];

interface StatusCountsProps {
  /** Of all systems that the other filters leave; undefined until they are known. */
  counts: BoardCounts | undefined;
  value: Status | undefined;
  onChange: (status: Status | undefined) => void;
}

const shape =
  "flex min-w-0 flex-col gap-0.5 rounded-xl border bg-card px-3 py-2 text-left hover:bg-muted " +
  "aria-pressed:border-primary aria-pressed:bg-primary-soft sm:px-4 sm:py-2.5";

/** How many systems there are of each status; each number is a filter. */
export function StatusCounts({ counts, value, onChange }: StatusCountsProps) {
  const total = counts && statuses.reduce((sum, status) => sum + countOf(counts, status), 0);
  return (
    <ToggleGroup
      aria-label="Status"
      className="grid grid-cols-3 gap-2 sm:flex sm:*:flex-1 sm:gap-3"
      data-testid="board-status"
      onValueChange={([pressed]) => onChange(statuses.find((status) => status === pressed))}
      value={[value ?? "all"]}
    >
      <Toggle className={shape} value="all">
        <Figure number={total} />
        <span className="truncate text-xs text-muted-foreground">All systems</span>
      </Toggle>
      {statuses.map((status) => (
        <Toggle className={shape} data-status={status} key={status} value={status}>
          <Figure
            className={counts && countOf(counts, status) > 0 ? statusWords[status].text : ""}
            number={counts && countOf(counts, status)}
          />
          <span className="flex min-w-0 items-center gap-1 text-xs text-muted-foreground">
            <span className={`shrink-0 ${statusWords[status].text}`}>
              <Icon name={statusWords[status].icon} size={14} />
            </span>
            <span className="truncate">{statusWords[status].label}</span>
          </span>
        </Toggle>
      ))}
    </ToggleGroup>
  );
}

function Figure({ number, className = "" }: { number: number | undefined; className?: string }) {
  return (
    <span className={`text-xl leading-7 font-semibold tabular-nums sm:text-2xl sm:leading-8 ${className}`}>
      {number === undefined ? "–" : number.toLocaleString("en")}
    </span>
  );
}
