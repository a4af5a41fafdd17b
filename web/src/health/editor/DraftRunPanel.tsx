import type { DraftRun } from "../../api/health";
import { Button } from "../../ui/Button";
import { SelectField } from "../../ui/Field";
import { ErrorNotice } from "../../ui/Notice";
import { Panel } from "../../ui/Page";
import { runWords } from "../causes";
import type { Destinations } from "../destinations";
import { duration } from "../format";
import { RunReport } from "../RunReport";
import { Sends } from "../Sends";
import { verdictOf } from "../status";
import { verdictWords } from "../statuswords";
import { VerdictBadge } from "../StatusBadge";
import { SystemPicker } from "../SystemPicker";

interface Named {
  id: string;
  name: string;
}

interface DraftRunPanelProps {
  destinations: Destinations;
  environments: readonly Named[];
  systemId: string;
  environmentId: string;
  onSystem: (id: string) => void;
  onEnvironment: (id: string) => void;
  run: DraftRun | null;
  /** The check has been changed since the run. */
  outdated: boolean;
  busy: boolean;
  error: Error | null;
  onRun: () => void;
  onStop: () => void;
}

/** The whole check once, as it stands in the editor: nothing is saved. */
export function DraftRunPanel(props: DraftRunPanelProps) {
  const { destinations, run, busy } = props;
  return (
    <Panel title="Try it">
      <div className="flex flex-col gap-3">
        <Sends {...destinations} />
        <SystemPicker
          hint="Its values fill the templates."
          label="For the system"
          onChange={props.onSystem}
          value={props.systemId}
        />
        {props.environments.length > 0 && (
          <SelectField
            label="In the environment"
            onChange={(event) => props.onEnvironment(event.currentTarget.value)}
            value={props.environmentId}
          >
            <option value="">No environment</option>
            {props.environments.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </SelectField>
        )}
        <div className="flex flex-wrap items-center gap-2">
          <Button busy={busy} data-testid="draft-run" icon="play" onClick={props.onRun}>
            {busy ? "Running…" : "Run once"}
          </Button>
          {busy && (
            <Button icon="stop" onClick={props.onStop} variant="quiet">
              Stop
            </Button>
          )}
          <span className="text-xs text-muted-foreground">
            Nothing is saved.{destinations.secrets.length > 0 && " Secrets are placeholders."}
          </span>
        </div>
        <ErrorNotice error={props.error} />
        <div aria-live="polite">
          {run && !busy && (
            <div className="flex flex-col gap-3" data-testid="draft-report">
              <p className="flex flex-wrap items-center gap-2 text-sm">
                <VerdictBadge verdict={verdictOf(run.verdict)} />
                <span className="text-muted-foreground">
                  {runWords(run)} in {duration(run.tookMs)}
                </span>
              </p>
              {props.outdated && <p className="text-xs text-warning">The check has changed since. Run it again.</p>}
              <p className="text-sm wrap-anywhere">{run.message || verdictWords[verdictOf(run.verdict)].hint}</p>
              <RunReport report={run} />
            </div>
          )}
        </div>
      </div>
    </Panel>
  );
}
