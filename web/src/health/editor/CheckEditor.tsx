import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useMemo, useRef, useState, type FormEvent } from "react";
import { environmentsQuery, systemQuery } from "../../api/catalog";
import { healthKey, type Check, type CollectorKind, type Kinds, type StrategyKind } from "../../api/health";
import { createCheck, updateCheck } from "../../api/healthcalls";
import { Problem } from "../../api/problem";
import { loaded } from "../../api/reach";
import { scriptContextQuery } from "../../api/scripts";
import { secretsQuery } from "../../api/secrets";
import { holds, meQuery } from "../../api/session";
import { useWrite } from "../../api/write";
import { isLost, leadOn } from "../../ui/arrival";
import { Button } from "../../ui/Button";
import { ConflictNotice } from "../../ui/ConflictNotice";
import { DiscardDialog } from "../../ui/DiscardDialog";
import { SelectField, TextArea, TextField } from "../../ui/Field";
import { ErrorNotice, Skeleton } from "../../ui/Notice";
import { Page, Panel } from "../../ui/Page";
import { useToast } from "../../ui/Toast";
import { heartbeatStrategy } from "../Callings";
import { destinationsOf } from "../destinations";
import { interval as intervalWords } from "../format";
import { below, issuesOf, noIssues } from "../form/issues";
import type { Schema } from "../form/schema";
import { SystemPicker } from "../SystemPicker";
import { CollectorEditor } from "./CollectorEditor";
import { KeptFields } from "./KeptFields";
import { LocationFields } from "./LocationFields";
import { KeptNotice } from "./notices";
import { changeOf, definitionOf, inWords, newCheckOf, newCollector, partsOf, same, type CheckDraft } from "./draft";
import { DraftRunPanel } from "./DraftRunPanel";
import { SchedulePreview } from "./SchedulePreview";
import { useDraft } from "./usedraft";
import { useDraftRun } from "./usedraftrun";
import { useLastResult } from "./uselastresult";
import { useValidation } from "./usevalidation";

const SchemaForm = lazy(() => loaded(() => import("../form/SchemaForm")));

interface CheckEditorProps {
  /** The check as it is stored now; without it a new one is made. */
  check: Check | undefined;
  kinds: Kinds;
  person: string;
  /** The system for which a new check is made. */
  systemId: string;
}

/** The editor of a check: connection, collectors, assertions, and a draft run. */
export function CheckEditor({ check, kinds, person, systemId: given }: CheckEditorProps) {
  const navigate = useNavigate();
  const toast = useToast();
  const form = useRef<HTMLFormElement>(null);
  const {
    draft,
    edit,
    base,
    conflict,
    choose: choosePart,
    takeStored,
    kept,
    restore,
    forget,
    settle,
    follow,
    blocker,
  } = useDraft(check, kinds, person);
  const [systemId, setSystemId] = useState(given);
  const [environmentId, setEnvironmentId] = useState("");
  // Settings entered for a kind come back with it.
  const parked = useRef(new Map<string, Pick<CheckDraft, "strategyId" | "config" | "collectors">>());

  const strategy = kinds.strategies.find(({ id }) => id === draft.strategyId);
  const definition = useMemo(() => definitionOf(draft), [draft]);
  const validation = useValidation(definition);
  const tried = useDraftRun(definition, systemId, environmentId);
  const last = useLastResult(check);
  const surroundings = useSurroundings(systemId);
  const { data: environments } = useQuery(environmentsQuery);

  const save = useWrite({
    send: ({ content, began }: { content: CheckDraft; began: Check | undefined }, key) =>
      began
        ? updateCheck(began, changeOf(content, began, kinds), key)
        : createCheck(newCheckOf(content, systemId), key),
    invalidates: [healthKey],
    onSuccess: (saved) => {
      settle();
      toast(`${saved.name} was saved`);
      leadOn();
      void navigate({ to: "/health/checks/$checkId", params: { checkId: saved.id } });
    },
    onProposed: () => {
      settle();
      leadOn();
      void navigate({ to: "/health/checks", search: {} });
    },
  });
  // Another user has saved it.
  if (check && base && check.revision !== base.revision && !save.isPending && !save.isSuccess) follow(check);
  const refused = save.error instanceof Problem && save.variables?.content === draft ? save.error : null;
  // Field issues are shown at their fields, and are outdated once text was typed.
  const corrected = save.error instanceof Problem && (save.error.document.issues?.length ?? 0) > 0;
  // The notice of the conflict already explains this error.
  const followed = conflict !== null && save.error instanceof Problem && save.error.status === 412;
  const issues = new Map([...validation.issues, ...(refused ? issuesOf(refused.document.issues) : noIssues)]);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    validation.begin();
    save.mutate(
      { content: draft, began: base },
      {
        // To the first field that is wrong, once it says so.
        onError: () =>
          window.setTimeout(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus(), 50),
      },
    );
  };
  const choose = (strategyId: string) => {
    parked.current.set(draft.strategyId, draft);
    const { config, collectors } = parked.current.get(strategyId) ?? partsOf(strategyId, kinds);
    edit({ strategyId, config, collectors });
  };
  // A new check focuses its name at once; the link that led here is gone.
  const nameField = useRef<HTMLInputElement>(null);
  const isNew = check === undefined;
  useEffect(() => {
    if (isNew && isLost()) nameField.current?.focus();
  }, [isNew]);
  const title = check ? `Edit ${check.name}` : "New check";
  const count = issues.size;

  // Required fields come first.
  const needs = ((strategy?.configSchema as Schema | undefined)?.required?.length ?? 0) > 0;
  const reaching = strategy && Object.keys((strategy.configSchema as Schema).properties ?? {}).length > 0 && (
    <Panel title={`Settings: ${strategy.name}`}>
      <Suspense fallback={<Skeleton className="h-24 w-full" />}>
        <SchemaForm
          {...surroundings}
          issues={below(issues, "config")}
          key={strategy.id}
          name="strategy"
          onChange={(config) => edit({ config })}
          schema={strategy.configSchema as Schema}
          value={draft.config}
        />
      </Suspense>
    </Panel>
  );

  return (
    <Page
      description={check ? undefined : "A check tests a system at an interval."}
      testId="check-editor"
      title={title}
    >
      <form
        className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_20rem]"
        noValidate
        onSubmit={submit}
        ref={form}
      >
        <div className="flex min-w-0 flex-col gap-5">
          {kept && <KeptNotice onDrop={forget} onTake={restore} />}
          {conflict && (
            <ConflictNotice
              fields={conflict.map(({ key, label, mine, theirs }) => {
                const taken = same(draft[key], theirs);
                return {
                  name: key,
                  label,
                  takes: taken ? "theirs" : "mine",
                  mine: inWords(taken ? mine : draft[key]),
                  theirs: inWords(theirs),
                };
              })}
              onChoose={choosePart}
              onTake={takeStored}
            />
          )}
          <Panel title="The check">
            <div className="flex flex-col gap-4">
              <TextField
                issue={issues.get("name")}
                label="Name"
                name="name"
                onChange={(event) => edit({ name: event.currentTarget.value })}
                ref={nameField}
                required
                value={draft.name}
              />
              <TextArea
                issue={issues.get("description")}
                label="Description (optional)"
                name="description"
                onChange={(event) => edit({ description: event.currentTarget.value })}
                rows={2}
                value={draft.description}
              />
              <div className="grid gap-4 sm:grid-cols-2">
                <SelectField
                  hint={strategy?.description}
                  issue={issues.get("strategyId")}
                  label="Kind"
                  name="strategyId"
                  onChange={(event) => choose(event.currentTarget.value)}
                  value={draft.strategyId}
                >
                  {!strategy && <option value={draft.strategyId}>{draft.strategyId}</option>}
                  {categories(kinds.strategies).map(([category, members]) => (
                    <optgroup key={category} label={category}>
                      {members.map(({ id, name }) => (
                        <option key={id} value={id}>
                          {name}
                        </option>
                      ))}
                    </optgroup>
                  ))}
                </SelectField>
                <TextField
                  hint={intervalHint(definition.intervalSeconds)}
                  inputMode="numeric"
                  issue={issues.get("intervalSeconds")}
                  label="Interval (seconds)"
                  name="interval"
                  onChange={(event) => edit({ interval: event.currentTarget.value })}
                  required
                  value={draft.interval}
                />
              </div>
              {!check && (
                <SystemPicker
                  hint="In all of its environments. Assign more systems later."
                  issue={issues.get("assignToSystemId")}
                  label="Assign to (optional)"
                  name="assignToSystemId"
                  onChange={setSystemId}
                  value={systemId}
                />
              )}
            </div>
          </Panel>
          {needs && reaching}
          {draft.collectors.map((collector, index) => (
            <CollectorEditor
              collector={collector}
              issues={below(issues, `collectors[${index}]`)}
              key={collector.id}
              kind={strategy?.collectors.find(({ id }) => id === collector.collectorId)}
              onChange={(next) => edit({ collectors: draft.collectors.with(index, next) })}
              onRemove={
                draft.collectors.length > 1
                  ? () => edit({ collectors: draft.collectors.toSpliced(index, 1) })
                  : undefined
              }
              operators={kinds.operators}
              sample={tried.results.get(collector.id) ?? last.get(collector.id)}
              surroundings={surroundings}
            />
          ))}
          {draft.strategyId === heartbeatStrategy && <SchedulePreview definition={definition} />}
          <KeptFields
            issues={issues}
            kept={draft.keptFields}
            onChange={(keptFields) => edit({ keptFields })}
            collectors={draft.collectors}
            strategy={strategy}
          />
          {draft.strategyId !== heartbeatStrategy && (
            <LocationFields issues={issues} locations={draft.locations} onChange={edit} rule={draft.locationRule} />
          )}
          {issues.get("collectors") && <p className="text-sm text-danger">{issues.get("collectors")}</p>}
          <AddCollector
            onAdd={(kind) => edit({ collectors: [...draft.collectors, newCollector(kind)] })}
            strategy={strategy}
          />
          {!needs && reaching}
        </div>
        <div className="flex min-w-0 flex-col gap-4 lg:sticky lg:top-4">
          <DraftRunPanel
            busy={tried.busy}
            destinations={destinationsOf(definition)}
            environmentId={environmentId}
            environments={environments ?? []}
            error={tried.error}
            onEnvironment={setEnvironmentId}
            onRun={() => {
              validation.begin();
              tried.start();
            }}
            onStop={tried.stop}
            onSystem={setSystemId}
            outdated={tried.outdated}
            run={tried.run}
            systemId={systemId}
          />
          <div className="flex flex-col gap-2" data-testid="save-bar">
            {validation.begun && count > 0 && (
              <p className="text-sm text-danger" data-testid="issue-count" role="status">
                {count === 1 ? "One error" : `${count} errors`} to correct.
              </p>
            )}
            <ErrorNotice error={corrected || followed ? null : save.error} />
            <div className="flex justify-end gap-2">
              <Button
                onClick={() =>
                  void (check
                    ? navigate({ to: "/health/checks/$checkId", params: { checkId: check.id } })
                    : navigate({ to: "/health/checks", search: {} }))
                }
              >
                Cancel
              </Button>
              <Button busy={save.isPending} data-testid="save-check" type="submit" variant="primary">
                {check ? "Save" : "Create check"}
              </Button>
            </div>
          </div>
        </div>
      </form>
      {blocker.status === "blocked" && (
        <DiscardDialog
          onDiscard={() => {
            settle();
            blocker.proceed?.();
          }}
          onStay={() => blocker.reset?.()}
        />
      )}
    </Page>
  );
}

/** Names that fields can refer to. */
function useSurroundings(systemId: string) {
  const { data: me } = useQuery(meQuery);
  const reads = holds(me, "vault.secret.read") || holds(me, "vault.secret.manage");
  const { data: secrets } = useQuery({ ...secretsQuery, enabled: reads });
  const { data: environments } = useQuery(environmentsQuery);
  const { data: system } = useQuery({ ...systemQuery(systemId), enabled: systemId !== "" });
  const { data: script } = useQuery(scriptContextQuery("healthcheck", "healthcheck-script"));
  return useMemo(
    () => ({
      secrets: reads ? (secrets ?? []).map(({ name }) => name) : null,
      references: [
        "system.name",
        "system.id",
        ...Object.keys(system?.metadata ?? {}).map((key) => member("system.metadata", key)),
        "environment.name",
        ...[...new Set((environments ?? []).flatMap(({ fields }) => Object.keys(fields ?? {})))].map((key) =>
          member("environment", key),
        ),
        "check.name",
        "check.id",
        "check.intervalSeconds",
      ],
      declarations: script?.declarations ?? "",
    }),
    [reads, secrets, environments, system, script],
  );
}

/** A key that is no identifier is quoted in brackets. */
const member = (object: string, key: string) =>
  /^[A-Za-z_][A-Za-z0-9_-]*$/.test(key) ? `${object}.${key}` : `${object}[${JSON.stringify(key)}]`;

function AddCollector({
  strategy,
  onAdd,
}: {
  strategy: StrategyKind | undefined;
  onAdd: (kind: CollectorKind) => void;
}) {
  if (!strategy || strategy.collectors.length === 0) return null;
  const [only] = strategy.collectors;
  if (strategy.collectors.length === 1 && only)
    return (
      <Button className="self-start" data-testid="add-collector" icon="plus" onClick={() => onAdd(only)}>
        Collect another: {only.name}
      </Button>
    );
  return (
    <select
      aria-label="Collect something else"
      className="self-start rounded-lg border border-input bg-card px-3 py-2 text-sm"
      data-testid="add-collector"
      onChange={(event) => {
        const kind = strategy.collectors.find(({ id }) => id === event.currentTarget.value);
        if (kind) onAdd(kind);
      }}
      value=""
    >
      <option value="">Collect something else…</option>
      {strategy.collectors.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}

function categories(strategies: readonly StrategyKind[]): [string, StrategyKind[]][] {
  const groups = new Map<string, StrategyKind[]>();
  for (const strategy of strategies) {
    const category = strategy.category ?? "Other";
    groups.set(category, [...(groups.get(category) ?? []), strategy]);
  }
  return [...groups];
}

const intervalHint = (seconds: number) =>
  seconds > 0 ? `Every ${intervalWords(seconds)}.` : "From 1 to 86,400 seconds.";
