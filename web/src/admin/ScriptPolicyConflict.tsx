import type { StoredScriptPolicy } from "../api/scriptpolicy";
import { Button } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { fullTime } from "../ui/time";
import { describeDifference } from "./scriptlimits";

interface ScriptPolicyConflictProps {
  /** What the person began with. */
  base: StoredScriptPolicy;
  /** What is stored now. */
  policy: StoredScriptPolicy;
  onTake: () => void;
  onKeep: () => void;
}

/** Says that somebody else was faster, with what, and lets the person choose. */
export function ScriptPolicyConflict({ base, policy, onTake, onKeep }: ScriptPolicyConflictProps) {
  return (
    <div
      className="flex flex-col gap-3 rounded-lg bg-warning-soft px-3 py-2.5 text-sm text-warning"
      data-testid="policy-conflict"
      role="alert"
    >
      <div className="flex items-start gap-2.5">
        <Icon className="mt-0.5" name="alert" size={16} />
        <div className="min-w-0">
          <p>
            <strong>
              {policy.updatedBy ?? "Somebody else"} has changed the policy since you opened it
              {policy.updatedAt ? `, ${fullTime(policy.updatedAt)}` : ""}.
            </strong>{" "}
            What you have entered is not saved.
          </p>
          <ul className="mt-1 list-disc pl-4 wrap-anywhere">
            {describeDifference(base, policy).map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </div>
      </div>
      <div className="flex flex-wrap gap-2">
        <Button data-testid="policy-take" onClick={onTake}>
          Load the new policy
        </Button>
        <Button data-testid="policy-keep" onClick={onKeep}>
          Go on with mine
        </Button>
      </div>
    </div>
  );
}
