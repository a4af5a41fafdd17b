import { useState } from "react";
import { parseList } from "../catalog/metadata";
import {
  connectionsQuery,
  createConnection,
  updateConnection,
  type Connection,
  type ConnectionFields,
  type ModelFamily,
} from "../api/connections";
import { integrationsQuery } from "../api/integrations";
import { useWrite } from "../api/write";
import { Checkbox, SelectField, TextField } from "../ui/Field";
import { FormDialog } from "../ui/FormDialog";
import { useToast } from "../ui/Toast";

const families: { value: ModelFamily; label: string }[] = [
  { value: "generic", label: "Generic" },
  { value: "openai", label: "OpenAI" },
  { value: "anthropic", label: "Anthropic" },
];

export function ConnectionForm({ connection, onClose }: { connection?: Connection; onClose: () => void }) {
  const toast = useToast();
  const [draft, setDraft] = useState({
    name: connection?.name ?? "",
    baseUrl: connection?.baseUrl ?? "",
    apiKey: "",
    defaultModel: connection?.defaultModel ?? "",
    availableModels: (connection?.availableModels ?? []).join(", "),
    contextWindowTokens: String(connection?.contextWindowTokens ?? ""),
    modelFamily: connection?.modelFamily ?? "generic",
    tokenBudget: String(connection?.spendCap?.tokenBudget ?? ""),
    windowMinutes: String(connection?.spendCap?.windowMinutes ?? 60),
    disableTopicalClassifier: connection?.disableTopicalClassifier ?? false,
    enabled: connection?.enabled ?? true,
  });
  const demo = connection?.kind === "demo";
  const edit = (changes: Partial<typeof draft>) => setDraft({ ...draft, ...changes });

  const save = useWrite({
    send: (fields: ConnectionFields, key) =>
      connection ? updateConnection(connection, fields, key) : createConnection(fields, key),
    invalidates: [connectionsQuery.queryKey, integrationsQuery.queryKey],
    onSuccess: (_, fields) => {
      toast(`${fields.name} was saved`);
      onClose();
    },
  });

  const submit = () =>
    save.mutate({
      name: draft.name.trim(),
      baseUrl: demo ? undefined : draft.baseUrl.trim(),
      apiKey: draft.apiKey || undefined,
      defaultModel: draft.defaultModel.trim(),
      availableModels: parseList(draft.availableModels),
      contextWindowTokens: draft.contextWindowTokens ? Number(draft.contextWindowTokens) : null,
      modelFamily: draft.modelFamily,
      spendCap: draft.tokenBudget
        ? { tokenBudget: Number(draft.tokenBudget), windowMinutes: Number(draft.windowMinutes) }
        : null,
      disableTopicalClassifier: draft.disableTopicalClassifier,
      enabled: draft.enabled,
    });

  return (
    <FormDialog
      busy={save.isPending}
      error={save.error}
      onClose={onClose}
      onSubmit={submit}
      submitLabel={connection ? "Save" : "Create connection"}
      title={connection ? `Edit ${connection.name}` : "New connection"}
      wide
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField label="Name" name="name" onChange={(event) => edit({ name: event.currentTarget.value })} required value={draft.name} />
        {!demo && (
          <>
            <TextField
              hint="Up to and including the version, such as https://api.openai.com/v1"
              label="Base URL"
              name="baseUrl"
              onChange={(event) => edit({ baseUrl: event.currentTarget.value })}
              required
              type="url"
              value={draft.baseUrl}
            />
            <TextField
              autoComplete="off"
              hint={connection?.hasKey ? "Leave empty to keep the stored key." : "Stored encrypted; never shown again."}
              label="API key"
              name="apiKey"
              onChange={(event) => edit({ apiKey: event.currentTarget.value })}
              type="password"
              value={draft.apiKey}
            />
          </>
        )}
        <TextField
          label="Default model"
          name="defaultModel"
          onChange={(event) => edit({ defaultModel: event.currentTarget.value })}
          required
          value={draft.defaultModel}
        />
        <TextField
          hint="Further models to choose from, separated by commas."
          label="Available models"
          name="availableModels"
          onChange={(event) => edit({ availableModels: event.currentTarget.value })}
          value={draft.availableModels}
        />
        <TextField
          hint="Leave empty for a cautious default."
          label="Context window (tokens)"
          min={1024}
          name="contextWindowTokens"
          onChange={(event) => edit({ contextWindowTokens: event.currentTarget.value })}
          type="number"
          value={draft.contextWindowTokens}
        />
        <SelectField
          label="Model family"
          name="modelFamily"
          onChange={(event) => {
            const family = families.find(({ value }) => value === event.currentTarget.value);
            if (family) edit({ modelFamily: family.value });
          }}
          value={draft.modelFamily}
        >
          {families.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </SelectField>
        <div className="grid grid-cols-2 gap-2">
          <TextField
            hint="Per person; empty for no cap."
            label="Spend cap (tokens)"
            min={1}
            name="tokenBudget"
            onChange={(event) => edit({ tokenBudget: event.currentTarget.value })}
            type="number"
            value={draft.tokenBudget}
          />
          <TextField
            label="in minutes"
            min={1}
            name="windowMinutes"
            onChange={(event) => edit({ windowMinutes: event.currentTarget.value })}
            type="number"
            value={draft.windowMinutes}
          />
        </div>
      </div>
      <Checkbox
        checked={draft.disableTopicalClassifier}
        hint="Saves one short model call on the first message of a chat."
        label="Skip the off-topic check"
        onChange={(event) => edit({ disableTopicalClassifier: event.currentTarget.checked })}
      />
      <Checkbox
        checked={draft.enabled}
        hint="Offered in the chat."
        label="Enabled"
        onChange={(event) => edit({ enabled: event.currentTarget.checked })}
      />
    </FormDialog>
  );
}
