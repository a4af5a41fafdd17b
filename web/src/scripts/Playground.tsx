import { useEffect, useMemo, useRef, useState, type KeyboardEvent } from "react";
import { useQuery } from "@tanstack/react-query";
import { useAsks } from "../api/governed";
import { scriptPolicyQuery } from "../api/scriptpolicy";
import type { ScriptContext } from "../api/scripts";
import { holds, meQuery } from "../api/session";
import { administrationRules } from "../shell/administration";
import { isLost } from "../ui/arrival";
import { AskingNotice } from "../ui/AskingNotice";
import { Button, Spinner } from "../ui/Button";
import {
  dropHandover,
  firstDraft,
  keepDraft,
  keepBeside,
  loadBeside,
  loadDraft,
  putBeside,
  readHandover,
  sameDraft,
  type Draft,
} from "./draft";
import { Editor } from "./Editor";
import { Inputs } from "./Inputs";
import { announcement, Outcome } from "./Outcome";
import type { Place } from "./places";
import { Problems } from "./Problems";
import { mergeProblems, problemsOf, thrownAt, type Problem } from "./problems";
import { FailClosed } from "./Report";
import { prepare } from "./request";
import { useRun, type Run } from "./run";
import type { EditorHandle } from "./ScriptEditor";

interface PlaygroundProps {
  place: Place;
  person: string;
  context: ScriptContext;
}

const none: readonly Problem[] = [];

/** The editor of one place with its inputs and the outcome of the last run. */
export function Playground({ place, person, context }: PlaygroundProps) {
  const [begin] = useState(() => beginWith(person, place, context.starterExample));
  const [draft, setDraft] = useState<Draft>(begin.draft);
  // Draft before a script came from elsewhere.
  const [beside, setBeside] = useState(begin.beside);
  useEffect(() => keepBeside(person, place, beside), [person, place, beside]);
  useEffect(dropHandover, []);
  const [found, setFound] = useState<readonly Problem[]>(none);
  const [asked, setAsked] = useState(false);
  const [tabLeaves, setTabLeaves] = useState(false);
  const editor = useRef<EditorHandle>(null);
  const outcome = useRef<HTMLElement>(null);
  const runButton = useRef<HTMLButtonElement>(null);
  const { run, start, cancel } = useRun(place.area);
  const running = run.state === "running";
  const asks = useAsks(`${place.area}.testScript`);
  const off = asks === "off";
  const closed = useFailClosed(run);
  const prepared = useMemo(() => prepare(place, draft), [place, draft]);

  useEffect(() => {
    const keeping = setTimeout(() => keepDraft(person, place, draft), 300);
    return () => clearTimeout(keeping);
  }, [person, place, draft]);
  // Text typed at the last moment is kept, too.
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
  const [next, ...others] = beside;
  const bringBack = () => {
    if (!next) return;
    setDraft(next);
    editor.current?.replace(next.source);
    // The one that was here is not lost either.
    setBeside([...others, draft]);
  };
  const go = () => {
    if (off) return;
    setAsked(true);
    if (!prepared.test) return;
    void start(prepared.test);
    outcome.current?.scrollIntoView({ block: "nearest" });
  };
  // The button that has the focus goes away with the run.
  const giveUp = () => {
    runButton.current?.focus();
    cancel();
  };
  useEffect(() => {
    if (!running && run.state !== "idle" && isLost()) outcome.current?.focus({ preventScroll: true });
  }, [running, run.state]);
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
  const own = useMemo(() => {
    const thrown = run.state === "done" && run.source === draft.source ? thrownAt(run.outcome, run.source) : null;
    return thrown ? mergeProblems(findings, [thrown]) : findings;
  }, [findings, run, draft.source]);
  const problems = useMemo(() => mergeProblems(found, findings), [found, findings]);
  const issues = prepared.issues ?? {};

  return (
    <div className="flex flex-col gap-5" data-testid="playground" onKeyDownCapture={onKeyDown} role="presentation">
      <p className="sr-only" data-testid="script-status" role="status">
        {announcement(run, place)}
      </p>
      {closed && (
        <FailClosed>
          {closed === "manager" && (
            <a className="underline underline-offset-2" href="/admin/script-policy">
              Open the script policy
            </a>
          )}
        </FailClosed>
      )}
      {next && (
        <div
          className="flex flex-wrap items-center gap-2 rounded-lg bg-primary-soft px-3 py-2.5 text-sm"
          data-testid="scripts-beside"
          role="status"
        >
          <span className="min-w-0 flex-1 basis-52">
            {beside.length === 1 ? "Another draft of yours is" : `${beside.length} other drafts of yours are`} kept,
            with its inputs.
          </span>
          <Button onClick={bringBack}>Restore{beside.length === 1 ? "" : " the next one"}</Button>
          <Button onClick={() => setBeside(others)} variant="quiet">
            Discard{beside.length === 1 ? " it" : " the next one"}
          </Button>
        </div>
      )}
      <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)] xl:grid-rows-[auto_1fr]">
        <div className="flex min-w-0 flex-col gap-4">
          <section aria-label="Script" className="overflow-hidden rounded-xl border bg-card shadow-raised">
            <div className="h-[45dvh] min-h-72">
              <Editor
                declarations={context.declarations}
                initial={begin.before}
                label={`Script: ${place.label}`}
                language={context.language}
                onChange={(source) => change({ source })}
                onProblems={setFound}
                onTabLeaves={setTabLeaves}
                problems={own}
                ref={editor}
                replacement={begin.draft.source === begin.before ? undefined : begin.draft.source}
              />
            </div>
            {off && (
              <div className="px-3 pb-2">
                <AskingNotice asks={asks} />
              </div>
            )}
            <div className="flex flex-wrap items-center gap-2 border-t px-3 py-2">
              {/* It keeps the focus while the script runs, so it is not disabled. */}
              <Button
                aria-busy={running}
                aria-disabled={running || off}
                data-testid="run-script"
                icon={running ? undefined : "play"}
                onClick={go}
                ref={runButton}
                title="Control Enter, or Command Enter"
                variant="primary"
              >
                {running && <Spinner />}
                Run
              </Button>
              <Button data-testid="start-over" onClick={startOver} variant="quiet">
                Start over
              </Button>
              <p
                className="ml-auto text-xs text-muted-foreground pointer-coarse:hidden"
                data-testid="editor-keys"
                role="status"
              >
                {tabLeaves ? (
                  <>
                    <kbd>Tab</kbd> leaves the editor now.
                  </>
                ) : (
                  <>
                    <kbd>Ctrl Enter</kbd> runs. <kbd>Esc</kbd>, then <kbd>Tab</kbd> leaves the editor.
                  </>
                )}
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
          className={
            "flex min-w-0 flex-col gap-3 outline-none xl:sticky xl:top-6 xl:row-span-2 " +
            "xl:max-h-[calc(100dvh-3rem)] xl:overflow-y-auto"
          }
          ref={outcome}
          tabIndex={-1}
        >
          <h2 className="text-sm font-semibold">Outcome</h2>
          <Outcome onCancel={giveUp} onGoTo={(position) => editor.current?.goTo(position)} place={place} run={run} />
        </section>
        <div className="flex min-w-0 flex-col gap-4">
          <Inputs draft={draft} issues={issues} onChange={change} place={place} />
          <Reference context={context} />
        </div>
      </div>
    </div>
  );
}

/** Initial content of the page, and the source that undo leads back to. */
function beginWith(person: string, place: Place, starter: string): { draft: Draft; before: string; beside: Draft[] } {
  const first = firstDraft(place, starter);
  const kept = loadDraft(person, place) ?? first;
  const beside = loadBeside(person, place);
  const handover = readHandover(place);
  if (!handover) return { draft: kept, before: kept.source, beside };
  const { source, ...inputs } = handover;
  const given = Object.fromEntries(Object.entries(inputs).filter(([, value]) => typeof value === "string"));
  const draft = { ...first, ...given, source };
  // The example is no work of anybody's.
  return { draft, before: kept.source, beside: sameDraft(kept, first) ? beside : putBeside(draft, kept, beside) };
}

/** Whether the policy is unusable, by the last run or the policy itself, and for which role the notice is. */
function useFailClosed(run: Run): "manager" | "author" | null {
  const { data: me } = useQuery(meQuery);
  const manages = holds(me, administrationRules.scriptPolicy);
  const { data: policy } = useQuery({ ...scriptPolicyQuery, enabled: manages });
  const [told, setTold] = useState<{ run: Run; closed?: boolean }>({ run });
  if (told.run !== run) setTold({ run, closed: run.state === "done" ? run.outcome.sandboxDowngraded : told.closed });
  if (!(told.closed ?? policy?.downgraded)) return null;
  return manages ? "manager" : "author";
}

/** Reference of what a script can use. */
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
        <pre
          aria-label="Declarations"
          className="max-h-96 overflow-auto border-t px-4 py-3 font-mono text-xs"
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
          tabIndex={0}
        >
          {context.declarations}
        </pre>
      )}
    </details>
  );
}
