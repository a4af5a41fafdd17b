import { useQuery } from "@tanstack/react-query";
import { scriptPolicyChangesQuery, scriptPolicyQuery, type ScriptPolicyChange } from "../api/scriptpolicy";
import { HistoryPanel } from "../history/History";
import { Icon } from "../ui/Icon";
import { ErrorNotice, SkeletonRows } from "../ui/Notice";
import { Page, Panel } from "../ui/Page";
import { fullTime } from "../ui/time";
import { ScriptPolicyForm } from "./ScriptPolicyForm";
import { describeDifference, networks } from "./scriptlimits";

/** Script policy of the whole installation. */
export function ScriptPolicyPage() {
  const { data: policy, error, refetch } = useQuery(scriptPolicyQuery);
  return (
    <Page
      description="Network access and limits of all scripts, in tests and real runs."
      testId="script-policy-page"
      title="Script policy"
    >
      <ErrorNotice error={error} onRetry={() => void refetch()} />
      {!policy && !error && <SkeletonRows rows={6} />}
      {policy?.downgraded && (
        <div
          className="flex items-start gap-2.5 rounded-lg bg-warning-soft px-3 py-2.5 text-sm text-warning"
          data-testid="downgraded"
          role="alert"
        >
          <Icon className="mt-0.5" name="alert" size={16} />
          <p>
            <strong>
              Fail-closed: the script policy {policy.revision > 0 ? "that is stored cannot be read" : "is missing"}.
            </strong>{" "}
            Scripts have no network and the strictest limits, shown below, until you save a policy.
          </p>
        </div>
      )}
      {policy && <ScriptPolicyForm policy={policy} />}
      <Changes />
      <HistoryPanel of={{ type: "script.policy", id: "policy" }} />
    </Page>
  );
}

function Changes() {
  const { data: changes, error, refetch } = useQuery(scriptPolicyChangesQuery);
  return (
    <Panel title="Changes">
      <ErrorNotice error={error} onRetry={() => void refetch()} />
      {!changes && !error && <SkeletonRows rows={2} />}
      {changes?.length === 0 && <p className="text-sm text-muted-foreground">No changes yet.</p>}
      {changes && changes.length > 0 && (
        <ol aria-label="Changes" className="flex flex-col gap-3 text-sm">
          {changes.map((change) => (
            <li key={change.revision}>
              <p>
                <span className="font-medium">{change.actorName ?? "A deleted account"}</span>{" "}
                <span className="text-muted-foreground">{fullTime(change.at)}</span>
              </p>
              <ul className="list-disc pl-5 text-muted-foreground wrap-anywhere">
                {describeChange(change).map((line) => (
                  <li key={line}>{line}</li>
                ))}
              </ul>
            </li>
          ))}
        </ol>
      )}
    </Panel>
  );
}

/** Differences of a change, one sentence each. */
export function describeChange({ before, after }: ScriptPolicyChange): string[] {
  if (!before) return ["No usable policy before.", `Network: ${networks[after.network].label}`];
  return describeDifference(before, after);
}
