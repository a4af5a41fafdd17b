import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type ChangeEvent } from "react";
import { policiesQuery, requireSecondPerson, updatePolicy, type PolicyFields, type ToolPolicy } from "../api/policies";
import { Problem } from "../api/problem";
import { useWrite } from "../api/write";
import { describeAction } from "../chat/verbs";
import { HistoryDrawer } from "../history/History";
import { EffectBadge } from "../proposals/CardFrame";
import { AskAbout } from "../ui/AskAbout";
import { Badge } from "../ui/Badge";
import { Button } from "../ui/Button";
import { Checkbox } from "../ui/Field";
import { ListPage, wholeList } from "../ui/ListPage";
import { IconButton } from "../ui/IconButton";
import { ErrorNotice } from "../ui/Notice";
import { Row } from "../ui/Rows";
import { SearchField } from "../ui/SearchField";
import { fullTime } from "../ui/time";
import { useToast } from "../ui/Toast";
import { useWaitingPolicy, WaitingPolicies } from "./policywaits";
import { byModule, hasWords } from "./modulewords";

/** Tool policies: limits for each tool of the assistant, for all callers. */
export function PoliciesPage() {
  const policies = useQuery(policiesQuery);
  const [search, setSearch] = useState("");
  const [historyOf, setHistoryOf] = useState<string | null>(null);
  const shown = policies.data?.filter((policy) => hasWords(wordsOf(policy), search));
  return (
    <>
      <ListPage
        description="Rules for changes and assistant tools. They apply to everybody, in addition to access rights."
        empty={{ title: "No matching tools", hint: "Search by tool name or policy." }}
        filters={
          <SearchField
            label="Find a tool"
            onSearch={setSearch}
            placeholder="Find a tool: delete, catalog, second person…"
            value={search}
          />
        }
        itemKey={({ module }) => module}
        list={wholeList({ ...policies, data: shown && byModule(shown, ({ toolName }) => toolName) })}
        name={({ title }) => title}
        noun="policy"
        placeholders={6}
        row={({ module, title, items }) => (
          <section aria-label={title} data-testid={`policies-${module}`}>
            <header className="flex flex-wrap items-center justify-between gap-x-3 gap-y-2 bg-muted/50 px-4 py-2">
              <h2 className="text-sm font-semibold">
                {title} <span className="font-normal text-muted-foreground">{counted(items)}</span>
              </h2>
            </header>
            <ul className="divide-y">
              {items.map((policy) => (
                <li key={policy.toolName}>
                  <PolicyRow onHistory={() => setHistoryOf(policy.toolName)} policy={policy} />
                </li>
              ))}
            </ul>
          </section>
        )}
        testId="policies-page"
        title="Tool policies"
      >
        <AutoMode />
        {policies.data && <AllDestructive policies={policies.data} />}
      </ListPage>
      {historyOf && (
        <HistoryDrawer
          name={historyOf}
          of={{ type: "ai.tool_policy", id: historyOf }}
          onClose={() => setHistoryOf(null)}
        />
      )}
    </>
  );
}

function AutoMode() {
  return (
    <p className="text-sm text-muted-foreground" data-testid="auto-mode-words">
      In auto mode the assistant applies changes without asking, except with destructive tools and those set to always
      ask.
    </p>
  );
}

/**
 * The refusal of a second person whom nobody could be, which is sent again with "anyway" for it to be set all the same: said
 * without what only a program can send, as here is a button for it. Null for any other failure.
 */
function tooFew(error: unknown): Problem | null {
  if (!(error instanceof Problem)) return null;
  const { issues, ...document } = error.document;
  const why = issues?.find(({ path }) => path === "anyway")?.message;
  if (error.status !== 409 || !why) return null;
  return new Problem({ ...document, detail: `${why} Give it to another user first, or continue anyway.` });
}

/** Settings for all destructive tools at once. */
function AllDestructive({ policies }: { policies: ToolPolicy[] }) {
  const toast = useToast();
  const destructive = policies.filter(({ effect, own }) => effect === "destructive" && !own);
  const single = destructive.filter(({ twoPerson }) => !twoPerson);
  const set = useWrite({
    // All or none of them.
    send: ({ anyway }: { anyway: boolean }, key) => requireSecondPerson(single, anyway, key),
    invalidates: [policiesQuery.queryKey],
    onSuccess: ({ length }) =>
      toast(length === 1 ? "1 tool needs a second person now" : `${length} tools need a second person now`),
  });
  const lonely = tooFew(set.error);
  if (destructive.length === 0) return null;
  return (
    <div
      className="flex flex-wrap items-center justify-between gap-3 rounded-xl border bg-card px-4 py-3 shadow-raised"
      data-testid="all-destructive"
    >
      <div className="min-w-0 flex-1 basis-60 text-sm">
        <p className="font-medium">All destructive tools</p>
        <p className="text-muted-foreground">
          {single.length === 0
            ? `All ${destructive.length} destructive tools need a second person. Removing that, tool by tool, needs one too.`
            : `${single.length} of ${destructive.length} destructive tools can be approved by the requester.`}
        </p>
      </div>
      {single.length > 0 && (
        <Button busy={set.isPending} data-testid="all-destructive-second" onClick={() => set.mutate({ anyway: false })}>
          Require a second person for all
        </Button>
      )}
      <ErrorNotice className="basis-full" error={lonely ?? set.error} />
      {lonely && (
        <Button onClick={() => set.mutate({ anyway: true })} variant="danger">
          Require a second person anyway
        </Button>
      )}
    </div>
  );
}

function PolicyRow({ policy, onHistory }: { policy: ToolPolicy; onHistory: () => void }) {
  const queryClient = useQueryClient();
  const [waiting, take] = useWaitingPolicy(policy.toolName);
  const update = useWrite({
    send: updatePolicy,
    invalidates: [policiesQuery.queryKey],
    onSuccess: (changed) =>
      queryClient.setQueryData(policiesQuery.queryKey, (known) =>
        known?.map((one) => (one.toolName === changed.toolName ? changed : one)),
      ),
    onProposed: (write, { change }) => take(write, change),
  });
  const set = (change: Partial<PolicyFields>) => update.mutate({ policy, change });
  // A pending change of a box cannot be requested twice. The box keeps the focus of the requester.
  const box = (field: keyof PolicyFields) =>
    waiting.some(({ change }) => change[field] !== undefined)
      ? { "aria-disabled": true, onChange: () => {} }
      : { onChange: (event: ChangeEvent<HTMLInputElement>) => set({ [field]: event.currentTarget.checked }) };
  // While the request is pending, the boxes show the choice.
  const shown = update.isPending ? { ...policy, ...update.variables.change } : policy;
  const reads = policy.effect === "read";
  // No user could be the second person yet.
  const lonely = tooFew(update.error);
  return (
    <Row
      actions={
        <>
          <AskAbout name={policy.toolName} noun="tool" small />
          <IconButton icon="clock" label={`History of ${policy.toolName}`} onClick={onHistory} />
        </>
      }
      badges={
        <>
          <EffectBadge effect={policy.effect} />
          {!policy.enabled && <Badge tone="danger">switched off</Badge>}
          {policy.twoPerson && <Badge tone="primary">second person</Badge>}
        </>
      }
      detail={
        <>
          <code className="font-mono text-xs">{policy.toolName}</code>
          {policy.updatedBy && policy.updatedAt && (
            <span className="text-xs">
              {" "}
              · set by {policy.updatedBy}, {fullTime(policy.updatedAt)}
            </span>
          )}
        </>
      }
      title={nameOf(policy)}
    >
      <fieldset className="mt-2 flex flex-wrap gap-x-6 gap-y-2" data-testid={`policy-${policy.toolName}`}>
        <legend className="sr-only">Policy of {policy.toolName}</legend>
        <Checkbox busy={update.isPending} checked={shown.enabled} label="Enabled" {...box("enabled")} />
        {!reads && (
          <>
            {policy.effect === "mutate" && !policy.byHand && (
              <Checkbox
                busy={update.isPending}
                checked={shown.alwaysConfirm}
                label={policy.title ? "Ask when an application calls it" : "Always ask, also in auto mode"}
                {...box("alwaysConfirm")}
              />
            )}
            <Checkbox
              busy={update.isPending}
              checked={shown.twoPerson}
              disabled={policy.own}
              hint={policy.own ? "Not available: this tool affects only the caller's own data." : undefined}
              label="Needs a second person"
              {...box("twoPerson")}
            />
          </>
        )}
      </fieldset>
      <p className="mt-2 text-xs text-muted-foreground" data-testid={`auto-${policy.toolName}`}>
        {autoWords(shown)}
      </p>
      <WaitingPolicies waiting={waiting} />
      {policy.twoPerson && !waiting.some(({ change }) => change.twoPerson === false) && (
        <p className="mt-2 text-xs text-muted-foreground" data-testid={`loosen-${policy.toolName}`}>
          Removing this requirement needs approval by another administrator.
        </p>
      )}
      <ErrorNotice className="mt-2" error={lonely ?? update.error} />
      {lonely && (
        <Button className="mt-2" onClick={() => set({ twoPerson: true, anyway: true })} variant="danger">
          Require a second person anyway
        </Button>
      )}
    </Row>
  );
}

/** An administrative operation has a title of its own; what a tool does is said by its name. */
const nameOf = ({ title, toolName }: ToolPolicy) => title ?? describeAction(toolName);

/** Behaviour of a tool in auto mode. */
function autoWords({ title, byHand, effect, enabled, alwaysConfirm, twoPerson }: ToolPolicy) {
  if (!enabled) return "Disabled for everybody, in every mode.";
  if (byHand && twoPerson) return "Only signed-in users can do this; another person approves.";
  if (byHand) return "Only signed-in users can do this.";
  if (title && twoPerson) return "Not available to the assistant. Another person approves.";
  if (title && alwaysConfirm) return "Not available to the assistant. Application requests need approval.";
  if (title) return "Not available to the assistant.";
  if (effect === "read") return "Read-only; runs without approval.";
  if (twoPerson) return "Always asks, also in auto mode; another person approves.";
  if (effect === "destructive") return "Always asks, also in auto mode, because it is destructive.";
  if (alwaysConfirm) return "Always asks, also in auto mode.";
  return "In auto mode it runs without asking.";
}

function counted(policies: ToolPolicy[]): string {
  const count = (word: string, fits: (policy: ToolPolicy) => boolean) => {
    const found = policies.filter(fits).length;
    return found > 0 ? [`${found} ${word}`] : [];
  };
  return [
    policies.length === 1 ? "1 tool" : `${policies.length} tools`,
    ...count("destructive", ({ effect }) => effect === "destructive"),
    ...count("switched off", ({ enabled }) => !enabled),
    ...count("with a second person", ({ twoPerson }) => twoPerson),
  ].join(", ");
}

function wordsOf(policy: ToolPolicy): string {
  return [
    policy.toolName,
    nameOf(policy),
    policy.effect,
    policy.enabled ? "" : "switched off disabled",
    policy.alwaysConfirm ? "always ask" : "",
    policy.twoPerson ? "second person" : "",
  ].join(" ");
}
