import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { useFieldArray } from "react-hook-form";
import { agentsKey, type Spec } from "../../api/agents";
import { putSpec, seenIn } from "../../api/agentcalls";
import { secretsQuery } from "../../api/secrets";
import { holds, meQuery } from "../../api/session";
import { Button } from "../../ui/Button";
import { Checkbox, TextArea, TextField } from "../../ui/Field";
import { FormPage } from "../../ui/FormPage";
import { IconButton } from "../../ui/IconButton";
import { useRecordForm, type RecordForm } from "../../ui/recordform";
import { useToast } from "../../ui/Toast";
import type { BundlePanelProps } from "../tools/ToolsPanel";
import { fieldsOf, limits, specSchema, type SpecFields } from "./fields";

interface SpecFormProps extends Pick<BundlePanelProps, "agent" | "bundle"> {
  onClose: () => void;
}

export function SpecForm({ agent, bundle, onClose }: SpecFormProps) {
  const toast = useToast();
  const form = useRecordForm({
    schema: specSchema,
    item: bundle,
    values: (now) => fieldsOf(now?.bundle.spec ?? {}, now?.bundle.tools ?? []),
    send: (spec: Spec, began, key) => putSpec(seenIn(agent.id, began ?? bundle), spec, key),
    invalidates: [agentsKey],
    onSaved: () => {
      toast("Secrets and limits were saved");
      onClose();
    },
  });
  return (
    <FormPage form={form} onClose={onClose} submitLabel="Save" title="Secrets and limits" wide>
      <SecretsEditor form={form} />
      <ToolSettings form={form} />
      <TextField
        hint={`From ${limits.timeout.min} to ${limits.timeout.max}.`}
        inputMode="decimal"
        label="Timeout of a call in seconds (optional)"
        {...form.field("timeout")}
      />
    </FormPage>
  );
}

type Form = RecordForm<SpecFields, Spec>;

function SecretsEditor({ form }: { form: Form }) {
  const { fields, append, remove } = useFieldArray({ control: form.control, name: "secrets", keyName: "formKey" });
  const { data: me } = useQuery(meQuery);
  const reads = holds(me, "vault.secret.read") || holds(me, "vault.secret.manage");
  const { data: known } = useQuery({ ...secretsQuery, enabled: reads });
  const names = useId();
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-1 text-sm font-medium">Secrets</legend>
      <p className="text-sm text-muted-foreground">
        Tools get a placeholder. The value is inserted only into requests to these hosts.
      </p>
      <datalist id={names}>
        {(known ?? []).map(({ name }) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </datalist>
      {fields.map((field, index) => (
        <div className="flex flex-col gap-2 rounded-lg border p-3" data-testid="secret-editor" key={field.formKey}>
          <div className="flex items-start gap-2">
            <div className="min-w-0 flex-1">
              <TextField
                autoComplete="off"
                className="font-mono"
                label="Name"
                list={names}
                maxLength={64}
                required
                spellCheck={false}
                {...form.field(`secrets.${index}.name`, (typed) => typed.toUpperCase())}
              />
            </div>
            <IconButton
              className="mt-7"
              icon="trash"
              label={`Remove secret ${form.watch(`secrets.${index}.name`) || index + 1}`}
              onClick={() => remove(index)}
            />
          </div>
          <TextArea
            className="font-mono text-[0.8125rem]"
            hint="One per line: api.example.com, or *.example.com for its subdomains."
            label="Allowed hosts"
            required
            rows={2}
            spellCheck={false}
            {...form.field(`secrets.${index}.hosts`)}
          />
        </div>
      ))}
      <Button
        className="self-start"
        data-testid="add-secret"
        disabled={fields.length >= limits.secrets}
        icon="plus"
        onClick={() => append({ name: "", hosts: "" })}
      >
        Add a secret
      </Button>
    </fieldset>
  );
}

const settings = [
  {
    key: "approval",
    label: "Ask before each call",
    hint: "Every call becomes a proposal.",
  },
  { key: "people", label: "Only people may call it", hint: "Applications cannot call it." },
  {
    key: "readWithSecrets",
    label: "Read-only although it can reach secrets",
    hint: "Required to freeze such a tool.",
  },
  {
    key: "dynamic",
    label: "May use secrets that cannot be listed",
    hint: "It then gets placeholders for all secrets above.",
  },
] as const;

function ToolSettings({ form }: { form: Form }) {
  const tools = form.watch("tools");
  if (tools.length === 0) return null;
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 text-sm font-medium">Individual tools</legend>
      {tools.map((tool, index) => (
        <details className="rounded-lg border" key={tool.id} open={settings.some(({ key }) => tool[key]) || undefined}>
          <summary className="px-3 py-2 font-mono text-sm">{tool.id}</summary>
          <div className="flex flex-col gap-3 border-t p-3">
            {settings.map(({ key, label, hint }) => (
              <Checkbox hint={hint} key={key} label={label} {...form.register(`tools.${index}.${key}`)} />
            ))}
          </div>
        </details>
      ))}
    </fieldset>
  );
}
