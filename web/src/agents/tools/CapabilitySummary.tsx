import type { Capabilities } from "../../api/agents";
import type { ScriptPosition } from "../../api/scripts";
import { Badge } from "../../ui/Badge";
import { Icon } from "../../ui/Icon";

interface CapabilitySummaryProps {
  capabilities: Capabilities;
  /** The names that the agent's settings declare; undefined while unknown. */
  declared?: readonly string[];
  /** Leads to a place in the source; without it, places are named only. */
  onGoTo?: (position: ScriptPosition) => void;
}

/** Capabilities of a tool, as far as its source shows. */
export function CapabilitySummary({ capabilities, declared, onGoTo }: CapabilitySummaryProps) {
  const { secret_refs: secrets, dynamic_secret_refs: incomplete, reasons, modules, actions } = capabilities;
  const further = actions.filter((action) => action !== "default");
  return (
    <dl className="flex flex-col gap-1.5 text-sm" data-testid="capabilities">
      <div className="flex flex-wrap items-baseline gap-x-2 gap-y-1">
        <dt className="text-muted-foreground">Secrets</dt>
        <dd className="flex min-w-0 flex-wrap items-center gap-1">
          {secrets.length === 0 && (incomplete ? "none by name" : "none")}
          {secrets.map((name) => {
            const unknown = declared && !declared.includes(name);
            return (
              <Badge
                key={name}
                title={unknown ? "Declare it under Secrets and limits before freezing" : undefined}
                tone={unknown ? "danger" : "neutral"}
              >
                <code className="font-mono">{name}</code>
                {unknown && " not declared"}
              </Badge>
            );
          })}
        </dd>
      </div>
      {incomplete && (
        <div className="rounded-lg bg-warning-soft px-3 py-2 text-warning" data-testid="capabilities-incomplete">
          <dt className="flex items-start gap-2 font-medium">
            <Icon className="mt-0.5" name="alert" size={15} />
            The list of secrets may be incomplete
          </dt>
          {reasons && reasons.length > 0 && (
            <dd>
              <ul className="mt-0.5 pl-6">
                {reasons.map((reason) => (
                  <li className="wrap-anywhere" key={`${reason.line}:${reason.column}:${reason.message}`}>
                    {reason.message}{" "}
                    {onGoTo ? (
                      <button className="underline underline-offset-2" onClick={() => onGoTo(reason)} type="button">
                        Line {reason.line}
                      </button>
                    ) : (
                      `Line ${reason.line}.`
                    )}
                  </li>
                ))}
              </ul>
            </dd>
          )}
        </div>
      )}
      {modules.length > 0 && (
        <div className="flex flex-wrap items-baseline gap-x-2">
          <dt className="text-muted-foreground">Modules</dt>
          <dd className="font-mono text-xs wrap-anywhere">{modules.join(", ")}</dd>
        </div>
      )}
      {further.length > 0 && (
        <div className="flex flex-wrap items-baseline gap-x-2">
          <dt className="text-muted-foreground">Further actions</dt>
          <dd className="font-mono text-xs wrap-anywhere">{further.join(", ")}</dd>
        </div>
      )}
    </dl>
  );
}
