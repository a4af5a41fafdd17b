import { useQuery } from "@tanstack/react-query";
import { kindsQuery } from "../api/health";
import { CheckFacts } from "./CheckFacts";
import { destinationsOf } from "./destinations";
import { Sends } from "./Sends";
import type { ProposedCheck } from "./proposed";

interface CheckPayloadProps {
  check: ProposedCheck;
  /** Names of referenced ids. */
  labels: Record<string, string> | null | undefined;
}

/** A proposed check: connection, assertions, systems and destinations. */
export default function CheckPayload({ check, labels }: CheckPayloadProps) {
  const { data: kinds } = useQuery(kindsQuery);
  const system = check.assignToSystemId;
  const destinations = destinationsOf(check);
  return (
    <div className="flex flex-col gap-3 rounded-lg border p-3" data-testid="check-payload">
      <div>
        <p className="font-medium wrap-anywhere">{check.name}</p>
        {check.description && <p className="text-sm text-muted-foreground wrap-anywhere">{check.description}</p>}
      </div>
      <CheckFacts definition={check} kinds={kinds} />
      {(destinations.where.length > 0 || destinations.secrets.length > 0) && <Sends {...destinations} />}
      <p className="text-sm text-muted-foreground wrap-anywhere">
        {system
          ? `It runs for ${labels?.[system] ?? "one system"}, in all of its environments.`
          : "Not assigned to any system yet, so it does not run."}
        {check.paused && " It is paused."}
      </p>
    </div>
  );
}
