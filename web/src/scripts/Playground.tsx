import { lazy, Suspense, useEffect, useMemo, useRef, useState, type KeyboardEvent } from "react";
import type { ScriptContext } from "../api/scripts";
import { Button } from "../ui/Button";
import { Skeleton } from "../ui/Notice";
import { firstDraft, keepDraft, loadDraft, type Draft } from "./draft";
import { Inputs } from "./Inputs";
import { Outcome } from "./Outcome";
import type { Place } from "./places";
import { Problems } from "./Problems";
import { mergeProblems, problemsOf, type Problem } from "./problems";
import { prepare } from "./request";
import { useRun } from "./run";
import type { EditorHandle } from "./ScriptEditor";

// The editor is larger than the rest of the application.
const ScriptEditor = lazy(() => import("./ScriptEditor"));

interface PlaygroundProps {
  place: Place;
  person: string;
  context: ScriptContext;
}

const none: readonly Problem[] = [];

/** The editor of one place with its inputs and the outcome of the last run. */
export function Playground({ place, person, context }: PlaygroundProps) {
  const [draft, setDraft] = useState<Draft>(() => loadDraft(person, place) ?? firstDraft(place, context.starterExample));
  const [found, setFound] = useState<readonly Problem[]>(none);
  const [asked, setAsked] = useState(false);
  const editor = useRef<EditorHandle>(null);
  const outcome = useRef<HTMLElement>(null);
  const { run, start, cancel } = useRun(place.area);
  const prepared = useMemo(() => prepare(place, draft), [place, draft]);

  useEffect(() => {
    const keeping = setTimeout(() => keepDraft(person, place, draft), 300);
    return () => clearTimeout(keeping);
  }, [person, place, draft]);
  // What was typed in the last moment is kept, too.
  const latest = useRef(draft);
  useEffect(() => {
    latest.current = draft;
  }, [draft]);
  useEffect(() => {
    const keep = () => keepDraft(person, place, latest.current);
    window.addEventListener("pagehide", keep);
    return () => {
      window.removeEventListener("pagehide", keep);
      keep();
    };
  }, [person, place]);

  const change = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }));
  const startOver = () => {
    const first = firstDraft(place, context.starterExample);
    setDraft(first);
    editor.current?.replace(first.source);
  };
  const go = () => {
    setAsked(true);
    if (!prepared.test) return;
    void start(prepared.test);
    outcome.current?.scrollIntoView({ block: "nearest" });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    event.stopPropagation();
    go();
  };

  // The findings of the last run hold for the text that ran only.
  const findings = useMemo(
    () =>
      run.state === "done" && run.source === draft.source ? problemsOf(run.outcome.diagnostics, run.source) : none,
    [run, draft.source],
  );
  const own = useMemo(() => mergeProblems(none, findings), [findings]);
  const problems = useMemo(() => mergeProblems(found, findings), [found, findings]);
  const issues = prepared.issues ?? {};

  return (
    <div
      className="grid items-start gap-5 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)] xl:grid-rows-[auto_1fr]"
      data-testid="playground"
      onKeyDownCapture={onKeyDown}
      role="presentation"
    >
      <div className="flex min-w-0 flex-col gap-4">
        <section aria-label="Script" className="overflow-hidden rounded-xl border bg-card shadow-raised">
          <div className="h-[45dvh] min-h-72">
            <Suspense fallback={<EditorPlaceholder />}>
              <ScriptEditor
                declarations={context.declarations}
                initial={draft.source}
                label={`Script: ${place.label}`}
                language={context.language}
                onChange={(source) => change({ source })}
                onProblems={setFound}
                problems={own}
                ref={editor}
              />
            </Suspense>
          </div>
          <div className="flex flex-wrap items-center gap-2 border-t px-3 py-2">
            <Button
              busy={run.state === "running"}
              data-testid="run-script"
              icon="play"
              onClick={go}
              title="Control Enter, or Command Enter"
              variant="primary"
            >
              Run
            </Button>
            <Button data-testid="start-over" onClick={startOver} variant="quiet">
              Start over
            </Button>
            <p className="ml-auto text-xs text-muted-foreground">
              <kbd>Ctrl Enter</kbd> runs. <kbd>Ctrl M</kbd> makes Tab leave the editor.
            </p>
          </div>
        </section>
        {asked && prepared.issues && (
          <p className="text-sm text-danger" data-testid="script-issues" role="alert">
            {issues.source ?? "The run did not start: correct the inputs below first."}
          </p>
        )}
        <Problems onGoTo={(position) => editor.current?.goTo(position)} problems={problems} />
      </div>
      <section
        aria-label="Outcome"
        className="flex min-w-0 flex-col gap-3 xl:sticky xl:top-6 xl:row-span-2 xl:max-h-[calc(100dvh-3rem)] xl:overflow-y-auto"
        ref={outcome}
      >
        <h2 className="text-sm font-semibold">Outcome</h2>
        <Outcome onCancel={cancel} onGoTo={(position) => editor.current?.goTo(position)} place={place} run={run} />
      </section>
      <div className="flex min-w-0 flex-col gap-4">
        <Inputs draft={draft} issues={issues} onChange={change} place={place} />
        <Reference context={context} />
      </div>
    </div>
  );
}

function EditorPlaceholder() {
  return (
    <div aria-label="Loading the editor" className="flex h-full flex-col gap-2 p-4" role="status">
      <Skeleton className="h-4 w-2/3" />
      <Skeleton className="h-4 w-1/2" />
      <Skeleton className="h-4 w-3/5" />
    </div>
  );
}

/** What a script can use, to read. */
function Reference({ context }: { context: ScriptContext }) {
  return (
    <details className="rounded-xl border bg-card">
      <summary className="px-4 py-2.5 text-sm font-medium">
        {context.shellEnv ? "Environment variables of the context" : "Declarations of the SDK"}
      </summary>
      {context.shellEnv ? (
        <dl className="border-t px-4 py-3 text-sm">
          {context.shellEnv.map((variable) => (
            <div className="py-1" key={variable.name}>
              <dt className="font-mono text-[0.8125rem] wrap-anywhere">{variable.name}</dt>
              <dd className="text-muted-foreground">{variable.description}</dd>
            </div>
          ))}
        </dl>
      ) : (
        // Scrolls, so that a keyboard has to reach it.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        <pre aria-label="Declarations" className="max-h-96 overflow-auto border-t px-4 py-3 font-mono text-xs" tabIndex={0}>
          {context.declarations}
        </pre>
      )}
    </details>
  );
}
