import { lazy, Suspense, useState } from "react";
import { Problem } from "../../api/problem";
import { loaded } from "../../api/reach";
import type { ScriptPosition } from "../../api/scripts";
import { below, issuesOf, noIssues } from "../../health/form/issues";
import type { Schema } from "../../health/form/schema";
import { Button } from "../../ui/Button";
import { TextArea, TextField } from "../../ui/Field";
import { ToggleFilter } from "../../ui/Filters";
import { ErrorNotice, Skeleton } from "../../ui/Notice";
import { Panel } from "../../ui/Page";
import { formFits } from "../tools/arguments";
import { RunAnswer } from "./RunAnswer";
import { parseObject } from "./draft";
import type { ToolRun } from "./usetoolrun";

const SchemaForm = lazy(() => loaded(() => import("../../health/form/SchemaForm")));

interface DryRunPanelProps {
  /** Of the arguments; undefined while it is no JSON. */
  schema: Schema | undefined;
  args: Record<string, unknown>;
  onArgs: (args: Record<string, unknown>) => void;
  /** The secrets for which a call gets placeholders, with what stands for each. */
  secrets: readonly string[];
  mocks: Readonly<Record<string, string>>;
  onMocks: (mocks: Record<string, string>) => void;
  run: ToolRun | null;
  /** Live calls need approval. */
  asks: boolean;
  /** The tool has been changed since the run. */
  outdated: boolean;
  busy: boolean;
  stopped: boolean;
  error: Error | null;
  /** Why nothing can be run at the moment. */
  blocked?: string;
  onRun: () => void;
  onStop: () => void;
  onGoTo: (position: ScriptPosition) => void;
}

/** One call of the tool as it stands in the editor: nothing is saved, and no secret is used. */
export function DryRunPanel(props: DryRunPanelProps) {
  const { run, busy, secrets, mocks, blocked } = props;
  const refused = props.error instanceof Problem ? props.error : null;
  const all = refused ? issuesOf(refused.document.issues) : noIssues;
  const issues = below(all, "args");
  const secretIssues = below(all, "mock_secrets");
  const told = issues.size + secretIssues.size > 0;
  return (
    <Panel title="Try it">
      <div className="flex flex-col gap-3">
        <Arguments {...props} issues={issues} />
        {secrets.length > 0 && (
          <fieldset className="flex flex-col gap-2">
            <legend className="mb-1 text-sm font-medium">Test values for secrets</legend>
            <p className="text-xs text-muted-foreground">
              Test runs get a placeholder or your test value, never the secret. Results mask it.
            </p>
            {secrets.map((name) => (
              <TextField
                autoComplete="off"
                className="font-mono"
                key={name}
                issue={secretIssues.get(name)}
                label={name}
                maxLength={1_000}
                onChange={(event) => props.onMocks({ ...mocks, [name]: event.currentTarget.value })}
                placeholder="a placeholder"
                value={mocks[name] ?? ""}
              />
            ))}
          </fieldset>
        )}
        <div className="flex flex-wrap items-center gap-2">
          <Button
            busy={busy}
            data-testid="dry-run"
            disabled={blocked !== undefined}
            icon="play"
            onClick={props.onRun}
            title="Control Enter, or Command Enter"
          >
            {busy ? "Running…" : "Run"}
          </Button>
          {busy && (
            <Button icon="stop" onClick={props.onStop} variant="quiet">
              Stop
            </Button>
          )}
          <span className="text-xs text-muted-foreground">{blocked ?? "Nothing is saved."}</span>
        </div>
        <ErrorNotice error={refused && told ? withoutIssues(refused) : props.error} />
        <div aria-live="polite" className="flex flex-col gap-2">
          {props.stopped && <p className="text-sm text-muted-foreground">Stopped.</p>}
          {run && !busy && !props.stopped && !props.error && (
            <>
              {props.outdated && <p className="text-xs text-warning">The tool has changed since. Run it again.</p>}
              <RunAnswer answer={run.answer} asks={props.asks} onGoTo={props.outdated ? undefined : props.onGoTo} />
            </>
          )}
        </div>
      </div>
    </Panel>
  );
}

/** Field issues are shown at their fields. */
function withoutIssues({ document }: Problem): Problem {
  const rest = (document.issues ?? []).filter(({ path }) => !/^(?:body\.)?(?:args|mock_secrets)\b/.test(path));
  return new Problem({ ...document, detail: "Not run. Correct the marked fields.", issues: rest });
}

type Way = "fields" | "json";
const ways = [
  { value: "fields", label: "Fields" },
  { value: "json", label: "JSON" },
] as const;

/** The arguments as fields by their schema, or as JSON where that says more. */
function Arguments({ schema, args, onArgs, issues }: DryRunPanelProps & { issues: ReturnType<typeof below> }) {
  const fits = schema !== undefined && formFits(schema);
  const [way, setWay] = useState<Way>("fields");
  const asFields = fits && way === "fields";
  return (
    <div className="flex flex-col gap-2">
      <div className="flex items-center justify-between gap-2">
        <h3 className="text-sm font-medium">Arguments</h3>
        {fits && (
          <ToggleFilter
            label="How to write the arguments"
            onChange={(next) => setWay(next ?? "fields")}
            options={ways}
            value={way}
          />
        )}
      </div>
      {asFields ? (
        <Suspense fallback={<Skeleton className="h-24 w-full" />}>
          <SchemaForm
            declarations=""
            issues={issues}
            // A form keeps which fields it shows at first: another schema is another form.
            key={JSON.stringify(schema)}
            name="args"
            onChange={onArgs}
            references={[]}
            schema={schema}
            secrets={null}
            value={args}
          />
        </Suspense>
      ) : (
        <ArgumentsText args={args} onArgs={onArgs} />
      )}
    </div>
  );
}

function ArgumentsText({ args, onArgs }: Pick<DryRunPanelProps, "args" | "onArgs">) {
  const [text, setText] = useState(() => JSON.stringify(args, null, 2));
  // An example was chosen.
  const [shown, setShown] = useState(args);
  if (shown !== args) {
    setShown(args);
    setText(JSON.stringify(args, null, 2));
  }
  const { issue } = parseObject(text);
  return (
    <TextArea
      className="font-mono text-[0.8125rem]"
      data-testid="args-json"
      hint="A JSON object."
      issue={issue}
      label="Arguments as JSON"
      onChange={(event) => {
        setText(event.currentTarget.value);
        const { value } = parseObject(event.currentTarget.value);
        if (!value) return;
        setShown(value);
        onArgs(value);
      }}
      rows={6}
      spellCheck={false}
      value={text}
    />
  );
}
