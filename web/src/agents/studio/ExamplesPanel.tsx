import { useState } from "react";
import { agentsKey, type AgentTool, type BundleOf, type DryRunInput, type Example } from "../../api/agents";
import { putExamples, seenIn, type ToolPlace } from "../../api/agentcalls";
import { useWrite } from "../../api/write";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { TextField } from "../../ui/Field";
import { IconButton } from "../../ui/IconButton";
import { ErrorNotice } from "../../ui/Notice";
import { Panel } from "../../ui/Page";
import { useToast } from "../../ui/Toast";
import { expectationOf, freeName } from "./answers";
import { useExamples } from "./useexamples";
import type { ToolRun } from "./usetoolrun";

interface ExamplesPanelProps {
  place: ToolPlace;
  /** The revision as it is stored now. */
  base: BundleOf;
  stored: AgentTool | undefined;
  writable: boolean;
  /** The last call, if it is one of what stands in the editor. */
  run: ToolRun | null;
  /** Source to run: empty for the stored one, null while it cannot run. */
  present: Pick<DryRunInput, "source" | "args_schema"> | null;
  /** Brings the arguments of an example into the form. */
  onTake: (example: Example) => void;
}

/** Calls that are kept with the tool. Freezing runs them all. */
export function ExamplesPanel({ place, base, stored, writable, run, present, onTake }: ExamplesPanelProps) {
  const toast = useToast();
  const examples = stored?.examples ?? [];
  const [name, setName] = useState<string | null>(null);
  const played = useExamples(place);
  const save = useWrite({
    send: ({ next }: { next: Example[]; said: string }, key) =>
      putExamples(seenIn(place.agent, base), place.tool, next, key),
    invalidates: [agentsKey],
    onSuccess: (_, { said }) => {
      setName(null);
      played.clear();
      toast(said);
    },
  });
  const taken = name !== null && examples.some((example) => example.name === name.trim());
  const keep = () => {
    if (!run || name === null || name.trim() === "" || taken) return;
    const { args, mock_secrets } = run.input;
    const example = { name: name.trim(), args, mock_secrets, expect: expectationOf(run.answer) };
    save.mutate({ next: [...examples, example], said: `${example.name} was saved` });
  };
  const passed = examples.filter((example) => played.verdicts.get(example.name) === null).length;
  const ended = played.running === null && played.verdicts.size > 0;
  return (
    <Panel
      actions={
        examples.length > 0 &&
        (played.running === null ? (
          <Button
            data-testid="run-examples"
            disabled={!present}
            icon="play"
            onClick={() => present && played.run(examples, present)}
            variant="quiet"
          >
            Run all
          </Button>
        ) : (
          <Button icon="stop" onClick={played.stop} variant="quiet">
            Stop
          </Button>
        ))
      }
      title="Examples"
    >
      <div className="flex flex-col gap-3">
        <p className="text-sm text-muted-foreground">
          Calls with expected results. Freezing requires that all of them pass.
        </p>
        <p className="text-sm empty:hidden" data-testid="examples-verdict" role="status">
          {ended && `${passed} of ${played.verdicts.size} as expected.`}
        </p>
        {examples.length > 0 && (
          <ul aria-label="Examples" className="divide-y rounded-lg border">
            {examples.map((example) => (
              <ExampleRow
                example={example}
                key={example.name}
                onRemove={
                  writable
                    ? () =>
                        save.mutate({
                          next: examples.filter((one) => one.name !== example.name),
                          said: `${example.name} was removed`,
                        })
                    : undefined
                }
                onTake={() => onTake(example)}
                running={played.running === example.name}
                verdict={played.verdicts.get(example.name)}
              />
            ))}
          </ul>
        )}
        <ErrorNotice error={save.error} />
        {writable && name === null && (
          <Button
            className="self-start"
            data-testid="save-example"
            disabled={!stored || !run || run.draft.source !== stored.source}
            icon="plus"
            onClick={() => setName(freeName(examples.map((example) => example.name)))}
          >
            Save the last run as an example
          </Button>
        )}
        {writable && name === null && (
          <p className="text-xs text-muted-foreground">
            {!stored || (run && run.draft.source !== stored.source)
              ? "Save the tool first."
              : !run
                ? "Run the tool first."
                : ""}
          </p>
        )}
        {name !== null && (
          <form
            className="flex flex-col gap-2"
            onSubmit={(event) => {
              event.preventDefault();
              keep();
            }}
          >
            <TextField
              // The button that opened it is gone.
              // oxlint-disable-next-line jsx-a11y/no-autofocus
              autoFocus
              issue={taken ? "There is an example with this name." : undefined}
              label="Name of the example"
              maxLength={120}
              onChange={(event) => setName(event.currentTarget.value)}
              required
              value={name}
            />
            <div className="flex justify-end gap-2">
              <Button onClick={() => setName(null)} variant="quiet">
                Cancel
              </Button>
              <Button busy={save.isPending} data-testid="save-example-confirm" type="submit">
                Save example
              </Button>
            </div>
          </form>
        )}
      </div>
    </Panel>
  );
}

interface ExampleRowProps {
  example: Example;
  /** Null when as expected, undefined while unknown. */
  verdict: string | null | undefined;
  running: boolean;
  onTake: () => void;
  onRemove?: () => void;
}

function ExampleRow({ example, verdict, running, onTake, onRemove }: ExampleRowProps) {
  return (
    <li
      className="px-3 py-2 text-sm"
      data-testid="example"
      data-verdict={verdict === undefined ? "" : verdict === null ? "passed" : "failed"}
    >
      <div className="flex flex-wrap items-center gap-2">
        <span className="min-w-0 flex-1 font-medium wrap-anywhere">{example.name}</span>
        {running && <span className="text-xs text-muted-foreground">Running…</span>}
        {verdict === null && <Badge tone="success">Passed</Badge>}
        {typeof verdict === "string" && <Badge tone="danger">Failed</Badge>}
        <span className="flex">
          <IconButton icon="copy" label={`Use the arguments of ${example.name}`} onClick={onTake} />
          {onRemove && <IconButton icon="trash" label={`Remove ${example.name}`} onClick={onRemove} />}
        </span>
      </div>
      <p className="text-xs text-muted-foreground wrap-anywhere">
        <code className="font-mono">{shorten(JSON.stringify(example.args))}</code> {expected(example)}
      </p>
      {typeof verdict === "string" && <p className="mt-0.5 text-xs text-danger wrap-anywhere">{verdict}</p>}
    </li>
  );
}

function expected({ expect }: Example): string {
  if (!expect) return "must succeed.";
  if (!expect.ok) return `must fail${expect.error_code ? ` with ${expect.error_code}` : ""}.`;
  return expect.result === undefined ? "must succeed." : `must return ${shorten(JSON.stringify(expect.result))}.`;
}

const shorten = (text: string) => (text.length > 120 ? `${text.slice(0, 119)}…` : text);
