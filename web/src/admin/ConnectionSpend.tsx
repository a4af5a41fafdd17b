import { useState } from "react";
import type { PrincipalSpend } from "../api/connections";
import { interval } from "../health/format";

/** Number of principals shown before the others are expanded. */
const few = 3;

/** Use of a connection by principal, those nearest to their cap first. */
export function ConnectionSpend({ spend }: { spend: PrincipalSpend[] }) {
  const [all, setAll] = useState(false);
  if (spend.length === 0) return null;
  const sorted = spend.toSorted((a, b) => share(b) - share(a) || b.tokens - a.tokens);
  const shown = all ? sorted : sorted.slice(0, few);
  return (
    <div className="mt-2 max-w-xl" data-testid="connection-spend">
      <ul aria-label="Tokens used" className="space-y-1.5">
        {shown.map((used) => (
          <SpendLine key={`${used.principalId}${String(used.unattended)}`} used={used} />
        ))}
      </ul>
      {sorted.length > few && (
        <button
          aria-expanded={all}
          className="mt-1 text-xs text-muted-foreground underline"
          onClick={() => setAll(!all)}
          type="button"
        >
          {all ? "Show fewer" : `Show all ${sorted.length}`}
        </button>
      )}
    </div>
  );
}

const share = ({ tokens, cap }: PrincipalSpend) => (cap ? tokens / cap : 0);

function SpendLine({ used }: { used: PrincipalSpend }) {
  const name = used.principalName ?? `Deleted ${used.principalKind}`;
  const full = share(used) >= 1;
  return (
    <li className="text-xs">
      <div className="flex flex-wrap justify-between gap-x-3">
        <span className="min-w-0 truncate">
          {name}
          {used.unattended && <span className="text-muted-foreground"> (unattended)</span>}
        </span>
        <span className={full ? "text-danger" : "text-muted-foreground"}>
          {used.tokens.toLocaleString()}
          {used.cap ? ` of ${used.cap.toLocaleString()}` : ""} tokens in {interval(used.windowMinutes * 60)}
          {used.reserved > 0 && `, ${used.reserved.toLocaleString()} of them estimated`}
          {used.cached ? `, ${used.cached.toLocaleString()} from the provider’s cache` : ""}
        </span>
      </div>
      {used.cap !== undefined && (
        <div
          aria-label={`${name}: ${used.tokens} of ${used.cap} tokens`}
          aria-valuemax={used.cap}
          aria-valuemin={0}
          aria-valuenow={Math.min(used.tokens, used.cap)}
          className="mt-0.5 h-1 overflow-hidden rounded-full bg-border"
          role="meter"
        >
          <div
            className={`h-full ${full ? "bg-danger" : "bg-primary"}`}
            style={{ width: `${Math.min(share(used), 1) * 100}%` }}
          />
        </div>
      )}
    </li>
  );
}
