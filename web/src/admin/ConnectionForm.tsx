import { useState } from "react";
import { parseList } from "../catalog/metadata";
import {
  connectionsQuery,
  createConnection,
  updateConnection,
  type Connection,
  type ConnectionFields,
  type ModelFamily,
  type SpendCap,
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

const capOf = (tokens: string, minutes: string): SpendCap | null =>
  tokens ? { tokenBudget: Number(tokens), windowMinutes: Number(minutes) } : null;

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
    unattendedBudget: String(connection?.unattendedSpendCap?.tokenBudget ?? ""),
    unattendedMinutes: String(connection?.unattendedSpendCap?.windowMinutes ?? 60),
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
      spendCap: capOf(draft.tokenBudget, draft.windowMinutes),
      unattendedSpendCap: capOf(draft.unattendedBudget, draft.unattendedMinutes),
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
        <TextField
          label="Name"
          name="name"
          onChange={(event) => edit({ name: event.currentTarget.value })}
          required
          value={draft.name}
        />
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
        <CapFields
          hint="Per person; empty for no cap."
          label="Spend cap (tokens)"
          minutes={draft.windowMinutes}
          name="spendCap"
          onMinutes={(windowMinutes) => edit({ windowMinutes })}
          onTokens={(tokenBudget) => edit({ tokenBudget })}
          tokens={draft.tokenBudget}
        />
        <CapFields
          hint="Per application or automation, counted apart; empty to use the spend cap for them too."
          label="Unattended cap (tokens)"
          minutes={draft.unattendedMinutes}
          name="unattendedSpendCap"
          onMinutes={(unattendedMinutes) => edit({ unattendedMinutes })}
          onTokens={(unattendedBudget) => edit({ unattendedBudget })}
          tokens={draft.unattendedBudget}
        />
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

interface CapFieldsProps {
  label: string;
  hint: string;
  name: string;
  tokens: string;
  minutes: string;
  onTokens: (value: string) => void;
  onMinutes: (value: string) => void;
}

function CapFields({ label, hint, name, tokens, minutes, onTokens, onMinutes }: CapFieldsProps) {
  return (
    <div className="grid grid-cols-[2fr_1fr] gap-2">
      <TextField
        hint={hint}
        label={label}
        max={1e12}
        min={1}
        name={`${name}Tokens`}
        onChange={(event) => onTokens(event.currentTarget.value)}
        type="number"
        value={tokens}
      />
      <TextField
        label="in minutes"
        max={525600}
        min={1}
        name={`${name}Minutes`}
        onChange={(event) => onMinutes(event.currentTarget.value)}
        required={tokens !== ""}
        type="number"
        value={minutes}
      />
    </div>
  );
}
