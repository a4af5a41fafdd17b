import { useId, type ReactNode } from "react";
import type { Effect, ProposalStatus } from "../api/proposals";
import { describeAction } from "../chat/verbs";
import { Badge } from "../ui/Badge";
import { Icon } from "../ui/Icon";
import type { Countdown } from "./countdown";
import { statusLabels, statusTones } from "./status";

interface CardFrameProps {
  toolName: string;
  effect: Effect;
  summary: string;
  status: ProposalStatus | null;
  left?: Countdown;
  /** Another user has to decide. */
  elsewhere?: boolean;
  workflowUrl: string | null;
  testId: string;
  children: ReactNode;
}

/** The outer form that confirm cards and applied cards share. */
export function CardFrame({
  toolName,
  effect,
  summary,
  status,
  left,
  elsewhere,
  workflowUrl,
  testId,
  children,
}: CardFrameProps) {
  const heading = useId();
  const waiting = status === "proposed" || status === "applying";
  const edge = !waiting ? "border-l-border" : effect === "destructive" ? "border-l-danger" : "border-l-primary";
  return (
    <section
      aria-labelledby={heading}
      className={`rise overflow-hidden rounded-xl border border-l-4 bg-card shadow-raised ${edge}`}
      data-status={status ?? "loading"}
      data-testid={testId}
    >
      <header className="flex flex-wrap items-center gap-2 px-4 pt-3">
        <span className="text-sm font-semibold" title={toolName}>
          {describeAction(toolName)}
        </span>
        <EffectBadge effect={effect} />
        <span className="ml-auto flex items-center gap-2">
          {left && !left.expired && (
            <span
              aria-label={`Expires in ${left.label}`}
              className={
                "inline-flex items-center gap-1 text-xs tabular-nums " +
                (left.urgent ? "font-semibold text-warning" : "text-muted-foreground")
              }
              data-testid="proposal-countdown"
              role="timer"
            >
              <Icon name="clock" size={14} />
              {left.label}
            </span>
          )}
          {status && (
            <Badge tone={statusTones[status]}>
              {elsewhere && status === "proposed" ? "Waiting for others" : statusLabels[status]}
            </Badge>
          )}
        </span>
      </header>
      <div className="flex flex-col gap-3 px-4 pt-1 pb-4">
        <p className="wrap-anywhere" id={heading}>
          {summary}
        </p>
        {children}
        {workflowUrl && !waiting && status && (
          <a
            className="inline-flex items-center gap-1 self-start text-xs text-muted-foreground hover:text-foreground"
            href={workflowUrl}
            rel="noreferrer"
            target="_blank"
          >
            Open in Temporal <Icon name="external" size={13} />
          </a>
        )}
      </div>
    </section>
  );
}

export function EffectBadge({ effect }: { effect: Effect }) {
  if (effect === "destructive") {
    return (
      <Badge title="Destructive: always asks first" tone="danger">
        destructive
      </Badge>
    );
  }
  if (effect === "read") return <Badge title="Changes nothing">reads</Badge>;
  return (
    <Badge title="Changes data" tone="warning">
      {effect === "mutate" ? "changes data" : effect}
    </Badge>
  );
}
