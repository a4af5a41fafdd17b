import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { policiesQuery, updatePolicy, type PolicyFields, type ToolPolicy } from "../api/policies";
import { Problem } from "../api/problem";
import { useWrite } from "../api/write";
import { describeAction } from "../chat/verbs";
import { EffectBadge } from "../proposals/CardFrame";
import { Badge } from "../ui/Badge";
import { Button } from "../ui/Button";
import { Checkbox } from "../ui/Field";
import { ListPage, wholeList } from "../ui/ListPage";
import { ErrorNotice } from "../ui/Notice";
import { Row } from "../ui/Rows";
import { SearchField } from "../ui/SearchField";
import { fullTime } from "../ui/time";

/** What the assistant may do with each tool, whoever asks. */
export function PoliciesPage() {
  const policies = useQuery(policiesQuery);
  const [search, setSearch] = useState("");
  const shown = policies.data?.filter((policy) => matches(policy, search));
  return (
    <ListPage
      description="What becomes of each kind of change and of the assistant's tools, for everybody, on every way and at once: by chat, page, API or application. A person's own rights come on top."
      empty={{ title: "No tool fits", hint: "Search for a word of its name or of its policy." }}
      filters={
        <SearchField
          label="Find a tool"
          onSearch={setSearch}
          placeholder="Find a tool: delete, catalog, second person…"
          value={search}
        />
      }
      history={({ toolName }) => ({ type: "ai.tool_policy", id: toolName })}
      itemKey={({ toolName }) => toolName}
      list={wholeList({ ...policies, data: shown })}
      name={({ toolName }) => toolName}
      noun="policy"
      placeholders={6}
      row={(policy, actions) => <PolicyRow actions={actions} policy={policy} />}
      testId="policies-page"
      title="Tool policies"
    />
  );
}

function PolicyRow({ policy, actions }: { policy: ToolPolicy; actions: ReactNode }) {
  const queryClient = useQueryClient();
  const update = useWrite({
    send: updatePolicy,
    invalidates: [policiesQuery.queryKey],
    onSuccess: (changed) =>
      queryClient.setQueryData(policiesQuery.queryKey, (known) =>
        known?.map((one) => (one.toolName === changed.toolName ? changed : one)),
      ),
  });
  const set = (change: Partial<PolicyFields>) => update.mutate({ policy, change });
  // While the answer is on its way the boxes show what was chosen.
  const shown = update.isPending ? { ...policy, ...update.variables.change } : policy;
  const reads = policy.effect === "read";
  // There is nobody yet who could be the second person.
  const lonely = update.error instanceof Problem && update.error.status === 409 && update.variables?.change.twoPerson;
  return (
    <Row
      actions={actions}
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
      title={describeAction(policy.toolName)}
    >
      <fieldset
        className="mt-2 flex flex-wrap gap-x-6 gap-y-2"
        data-testid={`policy-${policy.toolName}`}
        disabled={update.isPending}
      >
        <legend className="sr-only">Policy of {policy.toolName}</legend>
        <Checkbox
          checked={shown.enabled}
          label="Enabled"
          onChange={(event) => set({ enabled: event.currentTarget.checked })}
        />
        {!reads && (
          <>
            {policy.effect === "mutate" && (
              <Checkbox
                checked={shown.alwaysConfirm}
                label="Always ask, also in auto mode"
                onChange={(event) => set({ alwaysConfirm: event.currentTarget.checked })}
              />
            )}
            <Checkbox
              checked={shown.twoPerson}
              disabled={policy.own}
              hint={policy.own ? "Not here: it is about whoever wants it, who decides alone." : undefined}
              label="Needs a second person"
              onChange={(event) => set({ twoPerson: event.currentTarget.checked })}
            />
          </>
        )}
      </fieldset>
      {policy.twoPerson && (
        <p className="mt-2 text-xs text-muted-foreground" data-testid={`loosen-${policy.toolName}`}>
          Taking the second person away needs one too: it becomes a proposal that another administrator applies.
        </p>
      )}
      <ErrorNotice className="mt-2" error={update.error} />
      {lonely && (
        <Button className="mt-2" onClick={() => set({ twoPerson: true, anyway: true })} variant="danger">
          Ask for a second person all the same
        </Button>
      )}
    </Row>
  );
}

function matches(policy: ToolPolicy, search: string): boolean {
  const text = [
    policy.toolName,
    describeAction(policy.toolName),
    policy.effect,
    policy.enabled ? "" : "switched off disabled",
    policy.alwaysConfirm ? "always ask" : "",
    policy.twoPerson ? "second person" : "",
  ]
    .join(" ")
    .toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
