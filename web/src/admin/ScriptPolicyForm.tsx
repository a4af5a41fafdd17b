import { useId, useState } from "react";
import { scriptPolicyQuery, setScriptPolicy, type ScriptNetwork, type StoredScriptPolicy } from "../api/scriptpolicy";
import { useWrite } from "../api/write";
import { Button } from "../ui/Button";
import { TextArea, TextField } from "../ui/Field";
import { ErrorNotice } from "../ui/Notice";
import { Panel } from "../ui/Page";
import { fullTime } from "../ui/time";
import { useToast } from "../ui/Toast";
import { draftOf, entriesOf, limitFields, limitsOf, networks, type LimitDraft } from "./scriptlimits";

export function ScriptPolicyForm({ policy }: { policy: StoredScriptPolicy }) {
  const toast = useToast();
  const [network, setNetwork] = useState(policy.network);
  const [allow, setAllow] = useState(policy.allow.join("\n"));
  const [test, setTest] = useState(() => draftOf(policy.test));
  const [run, setRun] = useState(() => draftOf(policy.run));
  const save = useWrite({
    send: setScriptPolicy,
    invalidates: [scriptPolicyQuery.queryKey],
    onSuccess: () => toast("The script policy was saved"),
  });
  return (
    <form
      className="flex flex-col gap-5"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate({
          policy: { network, allow: entriesOf(allow), test: limitsOf(test), run: limitsOf(run) },
          revision: policy.revision,
        });
      }}
    >
      <Panel title="Network">
        <div className="flex flex-col gap-4">
          <NetworkChoice network={network} onChange={setNetwork} />
          {network === "public" && allow.trim() !== "" && (
            <p className="text-sm text-muted-foreground">The allowlist is kept, but opens nothing while the network is public.</p>
          )}
          {network !== "off" && (
            <TextArea
              className="w-full rounded-lg border border-input bg-card px-3 py-2 font-mono text-sm text-foreground placeholder:text-muted-foreground/70"
              hint="One on each line: a name, *.name for all names below it, an address, or a prefix, each also with a port. A name that leads into your own network also needs its address or prefix. Link-local and metadata addresses are never reached."
              label="Allowlist"
              name="allow"
              onChange={(event) => setAllow(event.currentTarget.value)}
              placeholder={"api.example.com\n*.example.org:443\n10.1.0.0/16:8080"}
              required={network === "allowlist"}
              rows={5}
              spellCheck={false}
              value={allow}
            />
          )}
        </div>
      </Panel>
      <div className="grid gap-5 md:grid-cols-2">
        <LimitsPanel draft={test} hint="What somebody gets who tries a script out." name="test" onChange={setTest} title="Limits of tests" />
        <LimitsPanel draft={run} hint="What automations get." name="run" onChange={setRun} title="Limits of real runs" />
      </div>
      <ErrorNotice error={save.error} />
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-sm text-muted-foreground">
          {policy.updatedBy && policy.updatedAt
            ? `Set by ${policy.updatedBy}, ${fullTime(policy.updatedAt)}. `
            : "As it was installed. "}
          A change holds within a second for scripts that start then.
        </p>
        <Button busy={save.isPending} data-testid="save-script-policy" type="submit" variant="primary">
          Save
        </Button>
      </div>
    </form>
  );
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
  onChange: (draft: LimitDraft) => void;
}

function LimitsPanel({ title, hint, name, draft, onChange }: LimitsPanelProps) {
  return (
    <Panel title={title}>
      <p className="mb-3 text-sm text-muted-foreground">{hint} A script may ask for less.</p>
      <div className="grid grid-cols-2 gap-3">
        {limitFields.map((field) => (
          <TextField
            hint={`${field.min.toLocaleString("en")} to ${field.max.toLocaleString("en")}`}
            key={field.name}
            label={field.unit === "calls" ? field.label : `${field.label} (${field.unit})`}
            max={field.max}
            min={field.min}
            name={`${name}-${field.name}`}
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
