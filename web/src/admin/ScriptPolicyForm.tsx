import { useQueryClient } from "@tanstack/react-query";
import { useId, useRef, useState, type FormEvent } from "react";
import { Problem } from "../api/problem";
import { scriptPolicyQuery, setScriptPolicy, type ScriptNetwork, type StoredScriptPolicy } from "../api/scriptpolicy";
import { useWrite } from "../api/write";
import { Button } from "../ui/Button";
import { ConflictNotice, type Side } from "../ui/ConflictNotice";
import { TextArea, TextField } from "../ui/Field";
import { useLeaveGuard } from "../ui/leaveguard";
import { ErrorNotice } from "../ui/Notice";
import { Panel } from "../ui/Page";
import { fullTime } from "../ui/time";
import { useToast } from "../ui/Toast";
import {
  describeDifference,
  fieldIssues,
  issuesOf,
  limitFields,
  networks,
  policyDraftOf,
  policyOf,
  type LimitDraft,
  type PolicyDraft,
  type PolicyIssues,
} from "./scriptlimits";
import { choosePolicy, clashFields, mergePolicies, type PolicyClash } from "./scriptpolicymerge";

const same = (a: PolicyDraft, b: PolicyDraft) => JSON.stringify(a) === JSON.stringify(b);

/** Edit conflict: the policy that the draft is based on, and the fields that both have changed. */
interface Conflict {
  began: StoredScriptPolicy;
  clashes: PolicyClash[];
}

/**
 * Typed text stays when another administrator saves meanwhile: the person who types chooses field by field which value
 * counts.
 */
export function ScriptPolicyForm({ policy }: { policy: StoredScriptPolicy }) {
  const toast = useToast();
  const queryClient = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  // Base of the draft; policy is the server's current one.
  const [base, setBase] = useState(policy);
  const [draft, setDraft] = useState(() => policyDraftOf(policy));
  const [conflict, setConflict] = useState<Conflict | null>(null);
  const [checked, setChecked] = useState(false);
  const saveButton = useRef<HTMLButtonElement>(null);
  const take = (next: StoredScriptPolicy) => {
    setBase(next);
    setDraft(policyDraftOf(next));
    setConflict(null);
    setChecked(false);
  };
  const save = useWrite({
    send: async ({ sent, revision }: { sent: PolicyDraft; revision: number }, key) => {
      const saved = await setScriptPolicy({ policy: policyOf(sent), revision }, key);
      queryClient.setQueryData(scriptPolicyQuery.queryKey, saved);
      setBase(saved);
      setConflict(null);
      setChecked(false);
      // Text typed during the save stays.
      setDraft((now) => (now === sent ? policyDraftOf(saved) : now));
      return saved;
    },
    invalidates: [scriptPolicyQuery.queryKey],
    onSuccess: () => toast("The script policy was saved"),
  });

  // A policy older than the saved one was read before it.
  const newer = policy.revision > base.revision || policy.downgraded !== base.downgraded;
  // Until the outcome of this page's own save is known, a newer revision may be that save.
  const other = newer && !save.isPending;
  const untouched = same(draft, policyDraftOf(base));
  if (other && untouched) take(policy);
  else if (other) {
    const merged = mergePolicies(base, policy, draft, conflict?.clashes);
    setBase(policy);
    setDraft(merged.draft);
    setConflict({ began: conflict?.began ?? base, clashes: merged.clashes });
  }
  const leaving = useLeaveGuard(() => !untouched);

  const refused = save.error instanceof Problem ? save.error : null;
  const refusals = save.variables?.sent === draft ? fieldIssues(refused?.document, policyOf(draft)) : null;
  const issues: PolicyIssues = { ...refusals, ...(checked ? issuesOf(draft) : {}) };
  const marked = Object.keys(issues).length > 0;
  const edit = (part: Partial<PolicyDraft>) => setDraft((before) => ({ ...before, ...part }));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setChecked(true);
    const [wrong] = Object.keys(issuesOf(draft));
    if (wrong) {
      form.current?.querySelector<HTMLElement>(`[name="${wrong}"]`)?.focus();
      return;
    }
    save.mutate({ sent: draft, revision: base.revision });
  };
  const choose = (name: string, side: Side) => {
    if (!conflict) return;
    const chosen = choosePolicy(draft, conflict.clashes, name, side);
    setDraft(chosen.draft);
    setConflict({ ...conflict, clashes: chosen.clashes });
  };
  return (
    <form className="flex flex-col gap-5" noValidate onSubmit={submit} ref={form}>
      <Panel title="Network">
        <div className="flex flex-col gap-4">
          <NetworkChoice network={draft.network} onChange={(network) => edit({ network })} />
          {draft.network === "public" && draft.allow.trim() !== "" && (
            <p className="text-sm text-muted-foreground">
              The allowlist is kept but not used while the network is public.
            </p>
          )}
          {(draft.network !== "off" || issues.allow) && (
            <TextArea
              className="font-mono"
              hint={
                "One per line: a host name, *.name for its subdomains, an address or a prefix, optionally with a " +
                "port. A name that resolves into your own network also needs its address or prefix. Link-local and " +
                "metadata addresses are always blocked."
              }
              issue={issues.allow}
              label="Allowlist"
              name="allow"
              onChange={(event) => edit({ allow: event.currentTarget.value })}
              placeholder={"api.example.com\n*.example.org:443\n10.1.0.0/16:8080"}
              required={draft.network === "allowlist"}
              rows={5}
              spellCheck={false}
              value={draft.allow}
            />
          )}
        </div>
      </Panel>
      <div className="grid gap-5 md:grid-cols-2">
        <LimitsPanel
          draft={draft.test}
          hint="Apply when a user tries a script."
          issues={issues}
          name="test"
          onChange={(test) => edit({ test })}
          title="Limits for test runs"
        />
        <LimitsPanel
          draft={draft.run}
          hint="Apply to automations."
          issues={issues}
          name="run"
          onChange={(run) => edit({ run })}
          title="Limits for real runs"
        />
      </div>
      {conflict && (
        <ConflictNotice
          fields={clashFields(conflict.clashes)}
          onChoose={choose}
          onTake={() => {
            take(policy);
            save.reset();
            saveButton.current?.focus();
          }}
        >
          <p className="mt-1">
            {policy.updatedBy ?? "Another administrator"}
            {policy.updatedAt ? `, ${fullTime(policy.updatedAt)}` : ""}:
          </p>
          <ul className="list-disc pl-4 wrap-anywhere">
            {describeDifference(conflict.began, policy).map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </ConflictNotice>
      )}
      {marked && (
        <p className="text-sm text-danger" data-testid="policy-issues" role="alert">
          Nothing was saved. Correct the marked fields.
        </p>
      )}
      {!conflict && refused?.status === 412 && (
        <p className="text-sm text-danger" data-testid="policy-outdated" role="alert">
          Another administrator changed the policy, so nothing was saved. The new policy is shown.
        </p>
      )}
      {!conflict && !marked && refused?.status !== 412 && <ErrorNotice error={save.error} />}
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-sm text-muted-foreground">
          {originOf(base)}Applies within a second to scripts that start afterwards.
        </p>
        <Button busy={save.isPending} data-testid="save-script-policy" ref={saveButton} type="submit" variant="primary">
          Save
        </Button>
      </div>
      {leaving}
    </form>
  );
}

function originOf({ updatedBy, updatedAt, downgraded }: StoredScriptPolicy): string {
  if (updatedBy && updatedAt) return `Set by ${updatedBy}, ${fullTime(updatedAt)}. `;
  return downgraded ? "" : "Installation default. ";
}

function NetworkChoice({ network, onChange }: { network: ScriptNetwork; onChange: (network: ScriptNetwork) => void }) {
  const id = useId();
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="sr-only">Network of scripts</legend>
      {(Object.keys(networks) as ScriptNetwork[]).map((one) => (
        <div className="flex items-start gap-2 text-sm" key={one}>
          <input
            aria-describedby={`${id}-${one}-hint`}
            checked={network === one}
            className="mt-0.5 size-4 shrink-0 accent-primary"
            id={`${id}-${one}`}
            name="network"
            onChange={() => onChange(one)}
            type="radio"
            value={one}
          />
          <label className="min-w-0 font-medium" htmlFor={`${id}-${one}`}>
            {networks[one].label}
            <span className="block text-xs font-normal text-muted-foreground" id={`${id}-${one}-hint`}>
              {networks[one].hint}
            </span>
          </label>
        </div>
      ))}
    </fieldset>
  );
}

interface LimitsPanelProps {
  title: string;
  hint: string;
  name: string;
  draft: LimitDraft;
  issues: PolicyIssues;
  onChange: (draft: LimitDraft) => void;
}

function LimitsPanel({ title, hint, name, draft, issues, onChange }: LimitsPanelProps) {
  return (
    <Panel title={title}>
      <p className="mb-3 text-sm text-muted-foreground">{hint} A script can request less.</p>
      <div className="grid grid-cols-2 gap-3">
        {limitFields.map((field) => (
          <TextField
            inputMode="decimal"
            issue={issues[`${name}.${field.name}`]}
            hint={`${field.min.toLocaleString("en")} to ${field.max.toLocaleString("en")}`}
            key={field.name}
            label={field.unit === "calls" ? field.label : `${field.label} (${field.unit})`}
            max={field.max}
            min={field.min}
            name={`${name}.${field.name}`}
            onChange={(event) => onChange({ ...draft, [field.name]: event.currentTarget.value })}
            required
            step="any"
            type="number"
            value={draft[field.name]}
          />
        ))}
      </div>
    </Panel>
  );
}
