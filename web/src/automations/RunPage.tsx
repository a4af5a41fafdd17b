import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { cancelAutomationRun, runAutomationAgain } from "../api/automationcalls";
import {
  automationRules,
  automationRunQuery,
  automationRunsKey,
  automationsKey,
  type AutomationRun,
} from "../api/automations";
import { holds, meQuery, settingsQuery, workflowUrl } from "../api/session";
import { useWrite } from "../api/write";
import { TextBlock } from "../scripts/Blocks";
import { Button, buttonShape } from "../ui/Button";
import { DetailPage } from "../ui/DetailPage";
import { Icon } from "../ui/Icon";
import { ErrorNotice } from "../ui/Notice";
import { Panel } from "../ui/Page";
import { fullTime } from "../ui/time";
import { useToast } from "../ui/Toast";
import type { Crumb } from "../ui/Trail";
import { RunStatusBadge } from "./Badges";
import { Steps } from "./Steps";
import { isOver } from "./words";

const route = getRouteApi("/app/automations/runs/$runId");
const list: Crumb = { label: "Automations", link: { to: "/automations", search: {} } };

/** One run of an automation: what triggered it, and its steps as they ran. */
export function RunPage() {
  const { runId } = route.useParams();
  const query = useQuery(automationRunQuery(runId));
  const { data: run } = query;
  const trail = run
    ? [
        list,
        {
          label: run.automation,
          link: { to: "/automations/$automationId", params: { automationId: run.automationId } },
        } satisfies Crumb,
      ]
    : [list];
  return (
    <DetailPage<AutomationRun>
      about={(shown) => `the run ${shown.id} of the automation ${shown.automation}`}
      actions={(shown) => <TemporalLink run={shown} />}
      badges={({ status, cancelling }) => (
        <RunStatusBadge cancelling={cancelling && !isOver({ status })} status={status} />
      )}
      description={({ reason }) => reason}
      mainAction={(shown) => <Actions run={shown} />}
      name={({ createdAt }) => `Run of ${fullTime(createdAt)}`}
      noun="run"
      origin={({ revision }) => `Revision ${revision}`}
      query={query}
      testId="automation-run-page"
      trail={trail}
    >
      {(shown) => (
        <>
          <Facts run={shown} />
          <Steps run={shown} />
          <Panel title="Trigger">
            <TextBlock label="What triggered it" testId="run-trigger">
              {JSON.stringify(shown.trigger, null, 2)}
            </TextBlock>
          </Panel>
        </>
      )}
    </DetailPage>
  );
}

function TemporalLink({ run }: { run: AutomationRun }) {
  const { data: settings } = useQuery(settingsQuery);
  const temporal = run.startedAt && workflowUrl(settings, run.workflowId);
  if (!temporal) return null;
  return (
    <a
      className={`${buttonShape} border-input bg-card text-foreground hover:bg-muted`}
      data-testid="run-temporal"
      href={temporal}
      rel="noreferrer"
      target="_blank"
    >
      Open in Temporal <Icon name="external" size={14} />
    </a>
  );
}

function Actions({ run }: { run: AutomationRun }) {
  const { data: me } = useQuery(meQuery);
  const navigate = useNavigate();
  const toast = useToast();
  const invalidates = [automationRunsKey, automationsKey];
  const cancel = useWrite({
    send: (_: "cancel", key) => cancelAutomationRun(run, key),
    invalidates,
    onSuccess: ({ cancelled }) => toast(cancelled ? "Cancelling" : "It had ended, or is being cancelled"),
  });
  const again = useWrite({
    send: (_: "again", key) => runAutomationAgain(run, key),
    invalidates,
    onSuccess: ({ run: { id }, started }) => {
      toast(started ? "Started" : "Not started");
      void navigate({ to: "/automations/runs/$runId", params: { runId: id } });
    },
  });
  if (!holds(me, automationRules.manage)) return null;
  return (
    <>
      <ErrorNotice error={cancel.error ?? again.error} />
      {isOver(run) ? (
        <Button
          busy={again.isPending}
          data-testid="run-again"
          icon="repeat"
          onClick={() => again.mutate("again")}
          variant="primary"
        >
          Run again
        </Button>
      ) : (
        <Button
          busy={cancel.isPending || run.cancelling}
          data-testid="cancel-run"
          icon="stop"
          onClick={() => cancel.mutate("cancel")}
          variant="danger"
        >
          Cancel
        </Button>
      )}
    </>
  );
}

function Facts({ run }: { run: AutomationRun }) {
  const { triggerId, slot, contextKey, createdAt, startedAt, endedAt, effects, failures, againOf } = run;
  const facts: [label: string, value: string | undefined][] = [
    ["Trigger", triggerId],
    ["Due at", slot && fullTime(slot)],
    ["About", contextKey],
    ["Triggered", fullTime(createdAt)],
    ["Started", startedAt && fullTime(startedAt)],
    ["Ended", endedAt && fullTime(endedAt)],
    ["Effects", String(effects)],
    ["Failed steps after which it went on", failures > 0 ? String(failures) : undefined],
  ];
  return (
    <Panel title="Facts">
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-2 text-sm">
        {facts
          .filter(([, value]) => value)
          .map(([label, value]) => (
            <div className="contents" key={label}>
              <dt className="text-muted-foreground">{label}</dt>
              <dd className="min-w-0 wrap-anywhere">{value}</dd>
            </div>
          ))}
        {againOf && (
          <>
            <dt className="text-muted-foreground">Repeats</dt>
            <dd>
              <Link className="underline underline-offset-2" params={{ runId: againOf }} to="/automations/runs/$runId">
                an earlier run
              </Link>
            </dd>
          </>
        )}
      </dl>
    </Panel>
  );
}
