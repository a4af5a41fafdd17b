import { useEffect, useMemo, useRef, useState, type KeyboardEvent } from "react";
import { agentsKey, type Agent, type BundleOf, type ToolDiagnostic } from "../../api/agents";
import { Problem as Refusal } from "../../api/problem";
import type { ScriptContext, ScriptPosition } from "../../api/scripts";
import { useWrite } from "../../api/write";
import { mayEdit } from "../../catalog/permission";
import { issuesOf } from "../../health/form/issues";
import type { Schema } from "../../health/form/schema";
import { KeptNotice } from "../../health/editor/notices";
import { DiffView } from "../../proposals/ChangeView";
import { Problems } from "../../scripts/Problems";
import type { Problem } from "../../scripts/problems";
import { Editor } from "../../scripts/Editor";
import type { EditorHandle } from "../../scripts/ScriptEditor";
import { Button } from "../../ui/Button";
import { ConflictNotice } from "../../ui/ConflictNotice";
import { DiscardDialog } from "../../ui/DiscardDialog";
import { Trail } from "../../ui/Trail";
import { TextArea } from "../../ui/Field";
import { ErrorNotice } from "../../ui/Notice";
import { Page, Panel } from "../../ui/Page";
import { useToast } from "../../ui/Toast";
import { NewDraftButton } from "../revision/NewDraftButton";
import { CapabilitySummary } from "../tools/CapabilitySummary";
import { ArgumentsField } from "./ArgumentsField";
import { allProblems, isAboutSchema, problemsOf, thrownAt } from "./diagnostics";
import { checkedOf, fieldsOf, keepArguments, keptArguments, parseObject, same } from "./draft";
import { DryRunPanel } from "./DryRunPanel";
import { EffectChoice } from "./EffectChoice";
import { ExamplesPanel } from "./ExamplesPanel";
import { inputOf, secretsOf } from "./inputs";
import { useCheck } from "./usecheck";
import { useSave } from "./usesave";
import { useToolDraft } from "./usetooldraft";
import { useToolRun } from "./usetoolrun";

interface ToolStudioProps {
  agent: Agent;
  /** The revision as it is stored now. */
  bundle: BundleOf;
  number: number;
  toolId: string;
  person: string;
  context: ScriptContext;
}

const none: readonly Problem[] = [];
const nothing: readonly ToolDiagnostic[] = [];

/** One tool: source with diagnostics, arguments, capabilities, test calls and examples. */
export function ToolStudio({ agent, bundle, number, toolId, person, context }: ToolStudioProps) {
  const toast = useToast();
  const stored = bundle.bundle.tools.find(({ id }) => id === toolId);
  const { spec } = bundle.bundle;
  const writable = bundle.state === "draft" && mayEdit(agent);
  const [place] = useState({ agent: agent.id, rev: bundle.revision_id, tool: toolId });
  const state = useToolDraft(stored, place, person, context.starterExample);
  const { draft, edit, both, blocker, dirty } = state;
  const [base, setBase] = useState(bundle);
  const [found, setFound] = useState(none);
  const [tabLeaves, setTabLeaves] = useState(false);
  const editor = useRef<EditorHandle>(null);

  const fields = useMemo(() => fieldsOf(draft), [draft]);
  const checked = useMemo(() => (writable ? checkedOf(fields) : null), [writable, fields]);
  const check = useCheck(place, checked);
  const schema = useMemo(() => parseObject(draft.schema), [draft.schema]);

  const put = useSave({ agent: agent.id, number, toolId });
  const save = useWrite({
    send: ({ content, began }: { content: typeof draft; began: BundleOf }, key) => {
      const sent = fieldsOf(content);
      if (!sent) throw new Error("The arguments are not valid JSON.");
      return put(began, sent, key);
    },
    invalidates: [agentsKey],
    onSuccess: (_, { content }) => {
      state.saved(content);
      toast(`${toolId} was saved`);
    },
  });
  // The revision was saved elsewhere: this tool, or another part of it.
  if (bundle.revision !== base.revision && !save.isPending) {
    setBase(bundle);
    if (!state.begunWith(stored)) state.follow(stored);
  }

  // The editor follows text taken over from elsewhere.
  const typed = useRef(draft.source);
  useEffect(() => {
    if (draft.source === typed.current) return;
    typed.current = draft.source;
    editor.current?.replace(draft.source);
  }, [draft.source]);

  const refusal = save.error instanceof Refusal && same(save.variables?.content, draft) ? save.error : null;
  const refused = (refusal?.document as { errors?: ToolDiagnostic[] } | undefined)?.errors;
  const diagnostics = refused ?? check.answer?.diagnostics ?? nothing;
  const checkedSource = refused ? draft.source : (check.answer?.source ?? draft.source);
  const server = useMemo(() => problemsOf(diagnostics, checkedSource), [diagnostics, checkedSource]);
  const aboutSchema = diagnostics.filter(isAboutSchema);
  const capabilities = check.answer?.capabilities ?? stored?.capabilities;

  // A refusal is old once something was typed, and what the notice of a conflict says need not be said again.
  const outdatedError =
    save.error instanceof Refusal && (both ? isConflict(save.error) : !refusal && !isConflict(save.error));
  const failure = outdatedError ? null : withoutIssues(save.error);

  const run = useToolRun(place);
  const [args, setArgs] = useState(() => keptArguments(person, place));
  useEffect(() => keepArguments(person, place, args), [person, place, args]);
  const [mocks, setMocks] = useState<Record<string, string>>({});
  const secrets = useMemo(() => secretsOf(capabilities, spec), [capabilities, spec]);
  const present = stored && !dirty ? {} : fields ? { source: fields.source, args_schema: fields.args_schema } : null;
  const input = present && { ...inputOf(args, secrets, mocks), ...present };
  const { source: ranSource, schema: ranSchema } = run.last?.draft ?? draft;
  const outdated = ranSource !== draft.source || ranSchema !== draft.schema;
  const thrown = useMemo(
    () => (run.last && !outdated && !run.busy ? thrownAt(run.last.answer.error, draft.source) : none),
    [run.last, run.busy, outdated, draft.source],
  );
  const marked = useMemo(() => [...server, ...thrown], [server, thrown]);
  const problems = useMemo(() => allProblems(writable ? found : none, server), [writable, found, server]);
  const go = () => {
    if (input) run.start(input, draft);
  };
  const goTo = (position: ScriptPosition) => editor.current?.goTo(position);

  const description = useRef<HTMLTextAreaElement>(null);
  const [undescribed, setUndescribed] = useState(false);
  const submit = () => {
    if (!writable || save.isPending) return;
    const missing = draft.description.trim() === "";
    setUndescribed(missing);
    if (missing) {
      description.current?.focus();
      return;
    }
    save.mutate(
      { content: draft, began: base },
      {
        onError: (error) => {
          const [first] = (error instanceof Refusal && (error.document as { errors?: ToolDiagnostic[] }).errors) || [];
          if (first && !isAboutSchema(first)) editor.current?.goTo(first);
        },
      },
    );
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!(event.ctrlKey || event.metaKey)) return;
    if (event.key === "Enter") go();
    else if (event.key === "s") submit();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const crumbs = [
    { label: "Agents", link: { to: "/agents", search: {} } },
    {
      label: `${agent.name}, revision ${number}`,
      link: { to: "/agents/$agentId", params: { agentId: agent.id }, search: { revision: number } },
    },
  ] as const;
  const errors = problems.filter(({ severity }) => severity === "error").length + aboutSchema.length;

  return (
    <Page
      actions={
        bundle.state !== "draft" &&
        mayEdit(agent) && (
          <NewDraftButton
            agent={agent}
            from={{ id: bundle.revision_id }}
            label="Change it in a new draft"
            tool={toolId}
          />
        )
      }
      description={
        writable
          ? "A tool has no network and no files. Its result goes to the caller."
          : bundle.state === "draft"
            ? "You can read and try this tool. Editors of the agent can change it."
            : `Revision ${number} is ${bundle.state}, so this tool is read-only.`
      }
      testId="tool-studio"
      title={toolId}
      trail={<Trail crumbs={crumbs} here={toolId} />}
    >
      <div
        className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_21rem]"
        onKeyDownCapture={onKeyDown}
        role="presentation"
      >
        <div className="flex min-w-0 flex-col gap-5">
          {writable && state.kept && <KeptNotice onDrop={state.forget} onTake={state.restore} />}
          {both && (
            <ConflictNotice
              fields={both.map(({ key, path, before }) => ({
                name: key,
                label: path,
                takes: draft[key] === before ? "theirs" : "mine",
              }))}
              onChoose={state.choose}
              onTake={state.takeStored}
            >
              {both.length > 0 && (
                <div className="mt-2 flex flex-col gap-1.5 text-foreground" data-testid="both-changed">
                  <p className="text-warning">Red: stored now. Green: your changes.</p>
                  <DiffView changes={both} />
                </div>
              )}
            </ConflictNotice>
          )}
          <section aria-label="Source" className="overflow-hidden rounded-xl border bg-card shadow-raised">
            <div className="h-[45dvh] min-h-72">
              <Editor
                declarations={context.declarations}
                initial={draft.source}
                label={`Source of ${toolId}`}
                language="typescript"
                name="tool"
                onChange={(source) => {
                  typed.current = source;
                  edit({ source });
                }}
                onProblems={setFound}
                onTabLeaves={setTabLeaves}
                problems={marked}
                readOnly={!writable}
                ref={editor}
              />
            </div>
            <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-t px-3 py-2 text-xs text-muted-foreground">
              <p data-state={check.fresh ? "fresh" : "busy"} data-testid="check-state" role="status">
                {writable && stateWords(check, errors)}
              </p>
              <p className="ml-auto pointer-coarse:hidden" data-testid="editor-keys" role="status">
                {tabLeaves ? (
                  <>
                    <kbd>Tab</kbd> leaves the editor now.
                  </>
                ) : (
                  <>
                    <kbd>Ctrl Enter</kbd> runs
                    {writable && (
                      <>
                        , <kbd>Ctrl S</kbd> saves
                      </>
                    )}
                    . <kbd>Esc</kbd>, then <kbd>Tab</kbd> leaves the editor.
                  </>
                )}
              </p>
            </div>
          </section>
          {check.error && <ErrorNotice error={check.error} />}
          <Problems onGoTo={goTo} problems={problems} />
          <Panel title="About the tool">
            <div className="flex flex-col gap-4">
              <TextArea
                disabled={!writable}
                hint="The assistant chooses the tool by it: purpose, use and result."
                issue={
                  undescribed && draft.description.trim() === ""
                    ? "Say what the tool does, so that the assistant finds it."
                    : issuesOf(refusal?.document.issues).get("description")
                }
                label="Description"
                maxLength={2_000}
                name="description"
                ref={description}
                onChange={(event) => edit({ description: event.currentTarget.value })}
                required
                rows={3}
                value={draft.description}
              />
              <EffectChoice
                capabilities={capabilities}
                disabled={!writable}
                effect={draft.effect}
                onChange={(effect) => edit({ effect })}
                spec={spec}
                toolId={toolId}
              />
            </div>
          </Panel>
          <ArgumentsField
            issues={aboutSchema}
            onChange={(text) => edit({ schema: text })}
            parsed={schema}
            text={draft.schema}
            writable={writable}
          />
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          {writable && (
            <div className="sticky top-0 z-10 -my-2 flex flex-col gap-2 bg-background py-2" data-testid="save-bar">
              <ErrorNotice error={failure} />
              <div className="flex items-center justify-end gap-2">
                <span className="mr-auto text-xs text-muted-foreground" data-testid="save-state">
                  {dirty || !stored ? "Not saved" : "Saved"}
                </span>
                <Button
                  busy={save.isPending}
                  data-testid="save-tool"
                  disabled={schema.value === undefined || (stored !== undefined && !dirty)}
                  onClick={submit}
                  variant="primary"
                >
                  {stored ? "Save" : "Save new tool"}
                </Button>
              </div>
            </div>
          )}
          {capabilities && (
            <Panel title="Capabilities">
              <CapabilitySummary
                capabilities={capabilities}
                declared={(spec.secrets ?? []).map(({ name }) => name)}
                onGoTo={goTo}
              />
            </Panel>
          )}
          <DryRunPanel
            args={args}
            asks={draft.effect === "mutate" || spec.tools?.[toolId]?.requires_approval === true}
            blocked={input ? undefined : "Correct the schema of the arguments first."}
            busy={run.busy}
            error={run.error}
            mocks={mocks}
            onArgs={setArgs}
            onGoTo={goTo}
            onMocks={setMocks}
            onRun={go}
            onStop={run.stop}
            outdated={outdated}
            run={run.last}
            schema={schema.value as Schema | undefined}
            secrets={secrets}
            stopped={run.stopped}
          />
          <ExamplesPanel
            base={base}
            onTake={(example) => {
              setArgs(example.args as Record<string, unknown>);
              setMocks(example.mock_secrets ?? {});
            }}
            place={place}
            present={present}
            run={outdated || run.busy ? null : run.last}
            stored={stored}
            writable={writable}
          />
        </div>
      </div>
      {blocker.status === "blocked" && (
        <DiscardDialog
          onDiscard={() => {
            state.settle();
            blocker.proceed?.();
          }}
          onStay={() => blocker.reset?.()}
        />
      )}
    </Page>
  );
}

const isConflict = (error: Error | null) => error instanceof Refusal && error.status === 412;

/** Issues of the source are listed below it, with places. */
function withoutIssues(error: Error | null): Error | null {
  if (!(error instanceof Refusal) || !("errors" in error.document)) return error;
  return new Refusal({
    ...error.document,
    detail: "Nothing was saved. Correct the listed problems.",
    issues: [],
  });
}

function stateWords(check: { fresh: boolean; busy: boolean; error: Error | null }, errors: number): string {
  if (check.error) return "Not checked";
  if (!check.fresh) return "Checking…";
  if (errors === 0) return "Checked: ready to save";
  return errors === 1 ? "Checked: one error" : `Checked: ${errors} errors`;
}
