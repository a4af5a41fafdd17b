import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { deleteAutomation, updateAutomation } from "../api/automationcalls";
import { automationQuery, automationRunsKey, automationsKey, type Automation } from "../api/automations";
import { useWrite } from "../api/write";
import { mayEdit } from "../catalog/permission";
import { TextBlock } from "../scripts/Blocks";
import { Badge } from "../ui/Badge";
import { Button } from "../ui/Button";
import { changedAt, DetailPage } from "../ui/DetailPage";
import { ErrorNotice } from "../ui/Notice";
import { Panel } from "../ui/Page";
import { fullTime } from "../ui/time";
import { useToast } from "../ui/Toast";
import type { Crumb } from "../ui/Trail";
import { AutomationStatusBadge, RunMarks } from "./Badges";
import { DefinitionForm } from "./DefinitionForm";
import { Revisions } from "./Revisions";
import { RunNowDialog } from "./RunNowDialog";
import { RunsPanel } from "./RunsPanel";
import { successRate } from "./words";

const route = getRouteApi("/app/automations/$automationId");
const trail: Crumb[] = [{ label: "Automations", link: { to: "/automations", search: {} } }];

/** One automation: its definition, its runs and its revisions. */
export function AutomationPage() {
  const { automationId } = route.useParams();
  const navigate = useNavigate();
  const [running, setRunning] = useState(false);
  return (
    <DetailPage<Automation>
      actions={(automation) => mayEdit(automation) && <StatusButton automation={automation} />}
      badges={({ status, group, definition: { mode } }) => (
        <>
          <AutomationStatusBadge status={status} />
          <Badge>Mode {mode}</Badge>
          {group && <Badge>{group}</Badge>}
        </>
      )}
      description={({ description }) => description}
      history={({ id }) => ({ type: "automation.automation", id })}
      mainAction={(automation) =>
        mayEdit(automation) && (
          <Button data-testid="run-now" icon="play" onClick={() => setRunning(true)} variant="primary">
            Run now
          </Button>
        )
      }
      name={({ name }) => name}
      noun="automation"
      onDeleted={() => navigate({ to: "/automations", search: {} })}
      origin={changedAt}
      query={useQuery(automationQuery(automationId))}
      removable={mayEdit}
      remove={{
        send: deleteAutomation,
        tool: "automation.delete",
        invalidates: [automationsKey, automationRunsKey],
        warning: "Its revisions and runs are deleted too, and those that run are cancelled. This cannot be undone.",
      }}
      trail={trail}
    >
      {(automation) => (
        <>
          {automation.disabledReason && (
            <p className="rounded-lg bg-warning-soft px-3 py-2.5 text-sm wrap-anywhere text-warning">
              {automation.disabledReason}
            </p>
          )}
          <Facts automation={automation} />
          <Definition automation={automation} key={automation.id} />
          <RunsPanel automationId={automation.id} />
          <Revisions automation={automation} />
          {running && <RunNowDialog automation={automation} onClose={() => setRunning(false)} />}
        </>
      )}
    </DetailPage>
  );
}

function StatusButton({ automation }: { automation: Automation }) {
  const toast = useToast();
  const enabled = automation.status === "enabled";
  const write = useWrite({
    send: (status: Automation["status"], key) => updateAutomation(automation, { status }, key),
    invalidates: [automationsKey],
    onSuccess: ({ status }) => toast(status === "enabled" ? "Enabled" : "Disabled"),
  });
  return (
    <>
      <ErrorNotice error={write.error} />
      <Button
        busy={write.isPending}
        data-testid="toggle-automation"
        icon={enabled ? "pause" : "check"}
        onClick={() => write.mutate(enabled ? "disabled" : "enabled")}
      >
        {enabled ? "Disable" : "Enable"}
      </Button>
    </>
  );
}

function Facts({ automation: { triggers, runAs, nextDue, lastRuns } }: { automation: Automation }) {
  const rate = successRate(lastRuns);
  return (
    <Panel title="Facts">
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-2 text-sm">
        <dt className="text-muted-foreground">Triggers</dt>
        <dd className="min-w-0 wrap-anywhere">{triggers.join(", ")}</dd>
        <dt className="text-muted-foreground">Acts as</dt>
        <dd className="min-w-0 wrap-anywhere">{runAs.name || "A deleted application"}</dd>
        {nextDue && (
          <>
            <dt className="text-muted-foreground">Next due</dt>
            <dd>
              <time dateTime={nextDue}>{fullTime(nextDue)}</time>
            </dd>
          </>
        )}
        <dt className="text-muted-foreground">Last runs</dt>
        <dd className="flex flex-wrap items-center gap-3">
          <RunMarks runs={lastRuns} />
          {rate && <span className="text-muted-foreground">{rate}</span>}
        </dd>
      </dl>
    </Panel>
  );
}

/** The definition as its author wrote it, which people with the right change in its place. */
function Definition({ automation }: { automation: Automation }) {
  const [saves, setSaves] = useState(0);
  const toast = useToast();
  return (
    <Panel title={`Definition, revision ${automation.definitionRevision}`}>
      {mayEdit(automation) ? (
        <DefinitionForm
          automation={automation}
          key={saves}
          onSaved={() => {
            setSaves(saves + 1);
            toast("Saved");
          }}
          origin="Runs that have begun keep their revision."
        />
      ) : (
        <TextBlock label="YAML" testId="definition">
          {automation.text}
        </TextBlock>
      )}
    </Panel>
  );
}
