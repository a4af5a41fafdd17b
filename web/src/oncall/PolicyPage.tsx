import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { notificationRules } from "../api/notifications";
import { oncallKey, policyQuery, type EscalationStep, type Policy } from "../api/oncall";
import { deletePolicy } from "../api/oncallcalls";
import { holds, meQuery } from "../api/session";
import { mayOwn } from "../catalog/permission";
import { Channels } from "../notifications/Channels";
import { Badge } from "../ui/Badge";
import { changedAt, DetailPage } from "../ui/DetailPage";
import { Panel } from "../ui/Page";
import { useToast } from "../ui/Toast";
import type { Crumb } from "../ui/Trail";
import { PolicyForm } from "./PolicyForm";
import { Simulation } from "./Simulation";

const route = getRouteApi("/app/on-call/policies/$policyId");
const trail: Crumb[] = [{ label: "On-call", link: { to: "/on-call" } }];

/** One escalation policy: its steps, what they do not reach, and a simulated run. */
export function PolicyPage() {
  const { policyId } = route.useParams();
  const navigate = useNavigate();
  const toast = useToast();
  return (
    <DetailPage<Policy>
      badges={(policy) => (
        <>
          {policy.default && <Badge tone="primary">Default</Badge>}
          {!policy.enabled && <Badge>Off</Badge>}
          <Badge>{policy.severities.join(", ") || "all severities"}</Badge>
          <Badge>{policy.zone}</Badge>
        </>
      )}
      description={({ description }) => description}
      edit={(policy, done) => (
        <PolicyForm
          onClose={done}
          onSaved={() => {
            toast("Saved");
            done();
          }}
          policy={policy}
        />
      )}
      editable={mayOwn}
      history={({ id }) => ({ type: "oncall.policy", id })}
      name={({ name }) => name}
      noun="policy"
      onDeleted={() => navigate({ to: "/on-call" })}
      origin={changedAt}
      query={useQuery(policyQuery(policyId))}
      removable={mayOwn}
      remove={{
        send: deletePolicy,
        tool: "oncall.deletePolicy",
        invalidates: [oncallKey],
        warning: "Escalations that follow it go on with another policy, or call nobody.",
      }}
      trail={trail}
    >
      {(policy) => (
        <>
          <Warnings policy={policy} />
          <Panel title="Steps">
            <ol className="flex flex-col gap-2" data-testid="policy-steps">
              {policy.steps.map((step, at) => (
                <li className="text-sm" key={`${at + 1} ${JSON.stringify(step)}`}>
                  <span className="font-medium">{`${at + 1}. ${waits(step, at)}: `}</span>
                  {step.targets.map((target) => targetWords(policy, target)).join(", ") || "nobody"}
                  {step.hours && <span className="text-muted-foreground">{`, ${step.hours}`}</span>}
                </li>
              ))}
            </ol>
            {policy.repeats > 0 && (
              <p className="mt-2 text-sm text-muted-foreground">
                {`All steps again ${policy.repeats} times, ${duration(policy.betweenSeconds)} after the last one.`}
              </p>
            )}
          </Panel>
          <PolicyChannels policy={policy} />
          <Simulation />
        </>
      )}
    </DetailPage>
  );
}

/** The channels of a policy are sent what its team sees, so a policy without a team has none. */
function PolicyChannels({ policy }: { policy: Policy }) {
  const { data: me } = useQuery(meQuery);
  const manages = holds(me, notificationRules.channelManage);
  if (!manages && !holds(me, notificationRules.channelRead)) return null;
  return (
    <Channels
      editable={manages && policy.team !== undefined}
      hint={
        policy.team
          ? "They are sent what its team may see."
          : "Give the policy a team first: channels are sent what it sees."
      }
      owner={{ kind: "policy", id: policy.id }}
      title="Channels"
    />
  );
}

function Warnings({ policy: { warnings } }: { policy: Policy }) {
  if (warnings.length === 0) return null;
  return (
    <ul className="rounded-xl bg-warning-soft px-4 py-3 text-sm text-warning" data-testid="policy-warnings">
      {warnings.map(({ path = "", message }) => (
        <li key={path + message}>{message}</li>
      ))}
    </ul>
  );
}

function duration(seconds: number): string {
  if (seconds % 3600 === 0 && seconds > 0) return `${seconds / 3600} h`;
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
}

function waits({ delaySeconds }: EscalationStep, at: number): string {
  if (delaySeconds === 0) return "At once";
  return `${duration(delaySeconds)} ${at === 0 ? "after the incident opens" : "later"}`;
}

function targetWords({ targets }: Policy, { kind, id }: EscalationStep["targets"][number]): string {
  const name = targets.find((target) => target.id === id)?.name ?? "gone";
  if (kind === "channels") return "channels of the policy";
  if (kind === "members") return `members of ${name}`;
  if (kind === "team") return `channels of ${name}`;
  return kind === "schedule" ? `on call in ${name}` : name;
}
