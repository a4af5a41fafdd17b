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
        description="Rules for every change and every tool of the assistant. They apply to everybody at once, in chat, pages, the API and applications, in addition to access rights."
        empty={{ title: "No tool fits", hint: "Search for a word of its name or of its policy." }}
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
      In auto mode the assistant makes changes without asking. Tools that remove something always ask, and so do those
      that you tick. The line below each tool says what happens.
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
  return new Problem({ ...document, detail: `${why} Give it to somebody else first, or ask for it all the same.` });
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
        <p className="font-medium">All that removes something</p>
        <p className="text-muted-foreground">
          {single.length === 0
            ? `All ${destructive.length} tools that remove something need a second person. To take that back, edit each: it needs one too.`
            : `${single.length} of ${destructive.length} tools that remove something can be decided about by whoever asked for it.`}
        </p>
      </div>
      {single.length > 0 && (
        <Button busy={set.isPending} data-testid="all-destructive-second" onClick={() => set.mutate({ anyway: false })}>
          Ask for a second person for all
        </Button>
      )}
      <ErrorNotice className="basis-full" error={lonely ?? set.error} />
      {lonely && (
        <Button onClick={() => set.mutate({ anyway: true })} variant="danger">
          Ask for a second person all the same
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
  // While the answer is on its way the boxes show what was chosen.
  const shown = update.isPending ? { ...policy, ...update.variables.change } : policy;
  const reads = policy.effect === "read";
  // There is nobody yet who could be the second person.
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
                label={policy.title ? "Ask when an application does it" : "Always ask, also in auto mode"}
                {...box("alwaysConfirm")}
              />
            )}
            <Checkbox
              busy={update.isPending}
              checked={shown.twoPerson}
              disabled={policy.own}
              hint={policy.own ? "Not here: it is about whoever wants it, who decides alone." : undefined}
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
          Taking the second person away needs one too: it becomes a proposal that another administrator applies.
        </p>
      )}
      <ErrorNotice className="mt-2" error={lonely ?? update.error} />
      {lonely && (
        <Button className="mt-2" onClick={() => set({ twoPerson: true, anyway: true })} variant="danger">
          Ask for a second person all the same
        </Button>
      )}
    </Row>
  );
}

/** An administrative operation has a title of its own; what a tool does is said by its name. */
const nameOf = ({ title, toolName }: ToolPolicy) => title ?? describeAction(toolName);

/** Behaviour of a tool in auto mode. */
function autoWords({ title, byHand, effect, enabled, alwaysConfirm, twoPerson }: ToolPolicy) {
  if (!enabled) return "Nobody can use it, in any mode.";
  if (byHand && twoPerson) return "Only a signed-in person can do this, and another person decides.";
  if (byHand) return "Only a signed-in person can do this.";
  if (title && twoPerson) return "Not available to the assistant. Another person decides.";
  if (title && alwaysConfirm) return "Not available to the assistant. A person decides what applications ask for.";
  if (title) return "Not available to the assistant.";
  if (effect === "read") return "It changes nothing and runs without a question.";
  if (twoPerson) return "In auto mode it asks all the same, and another person decides.";
  if (effect === "destructive") return "In auto mode it asks all the same, as it removes something.";
  if (alwaysConfirm) return "In auto mode it asks all the same.";
  return "In auto mode it happens at once, without a question.";
}

function counted(policies: ToolPolicy[]): string {
  const count = (word: string, fits: (policy: ToolPolicy) => boolean) => {
    const found = policies.filter(fits).length;
    return found > 0 ? [`${found} ${word}`] : [];
  };
  return [
    policies.length === 1 ? "1 tool" : `${policies.length} tools`,
    ...count("remove something", ({ effect }) => effect === "destructive"),
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
