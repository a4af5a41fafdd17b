import { useMutation } from "@tanstack/react-query";
import { useMemo } from "react";
import {
  askModels,
  connectionsQuery,
  createConnection,
  updateConnection,
  type Connection,
  type ModelFamily,
} from "../api/connections";
import { connectionSchema, connectionValues, enterAgain, onAnotherServer } from "../api/forms/connection";
import { integrationsQuery } from "../api/integrations";
import { Checkbox, SelectField, TextField } from "../ui/Field";
import { FormPage } from "../ui/FormPage";
import { useRecordForm } from "../ui/recordform";
import { SuggestField } from "../ui/SuggestField";
import { useToast } from "../ui/Toast";
import { ConnectionRequests } from "./ConnectionRequests";
import { ProviderModels } from "./ProviderModels";
import { questionOf, suggestionsOf, windowOf } from "./offeredmodels";

const families: { value: ModelFamily; label: string }[] = [
  { value: "generic", label: "Generic" },
  { value: "openai", label: "OpenAI" },
  { value: "anthropic", label: "Anthropic" },
];

export function ConnectionForm({ connection, onClose }: { connection?: Connection; onClose: () => void }) {
  const toast = useToast();
  const demo = connection?.kind === "demo";
  const form = useRecordForm({
    schema: connectionSchema(connection),
    item: connection,
    values: connectionValues,
    send: (fields, began, key) => (began ? updateConnection(began, fields, key) : createConnection(fields, key)),
    invalidates: [connectionsQuery.queryKey, integrationsQuery.queryKey],
    onSaved: (_, { name }) => {
      toast(`${name} was saved`);
      onClose();
    },
  });
  const asked = useMutation({ mutationFn: askModels });
  // The window reported by another server is no suggestion, and a missing answer of it is no news.
  const address = form.watch("baseUrl").trim();
  const moved = onAnotherServer(connection, address);
  const current = asked.variables?.baseUrl === (demo ? undefined : address);
  const shown = current ? asked.data : undefined;
  const models = useMemo(() => suggestionsOf(shown), [shown]);
  return (
    <FormPage
      form={form}
      onClose={onClose}
      submitLabel={connection ? "Save" : "Create connection"}
      title={connection ? `Edit ${connection.name}` : "New connection"}
      wide
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField label="Name" required {...form.field("name")} />
        {!demo && (
          <>
            <TextField
              hint="Including the version, such as https://api.openai.com/v1"
              label="Base URL"
              required
              type="url"
              {...form.field("baseUrl")}
            />
            <TextField
              autoComplete="off"
              hint={
                !connection?.hasKey
                  ? "Stored encrypted; never shown again."
                  : moved
                    ? enterAgain
                    : "Leave empty to keep the stored key."
              }
              label="API key"
              type="password"
              {...form.field("apiKey")}
            />
          </>
        )}
        <SuggestField
          control={form.control}
          hint={windowOf(models, form.watch("defaultModel"))}
          label="Default model"
          name="defaultModel"
          required
          suggestions={models}
        />
        <SuggestField
          control={form.control}
          hint="Further models to choose from, separated by commas."
          label="Available models"
          name="availableModels"
          several
          suggestions={models}
        />
        <ProviderModels
          answer={shown}
          busy={asked.isPending}
          error={current ? asked.error : null}
          onAsk={() => asked.mutate(questionOf(connection, form.getValues()))}
          onCorrect={(url) => {
            form.setValue("baseUrl", url, { shouldDirty: true, shouldValidate: true });
            asked.mutate(questionOf(connection, form.getValues()));
          }}
        />
        <TextField
          hint={
            connection?.askedWindowTokens
              ? `The server says ${connection.askedWindowTokens.toLocaleString("en")}, used when this is empty.`
              : "Leave empty to use the value the server reports."
          }
          inputMode="numeric"
          label="Context window (tokens)"
          {...form.field("contextWindowTokens")}
        />
        <SelectField label="Model family" {...form.field("modelFamily")}>
          {families.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </SelectField>
        <TextField
          hint="For titles, summaries and the topic check. Leave empty for the default."
          inputMode="numeric"
          label="Time for small calls (seconds)"
          {...form.field("smallCallSeconds")}
        />
        <div className="grid grid-cols-[2fr_1fr] gap-2">
          <TextField
            hint="Per person; empty for no cap."
            inputMode="numeric"
            label="Spend cap (tokens)"
            {...form.field("spendCapTokens")}
          />
          <TextField inputMode="numeric" label="in minutes" {...form.field("spendCapMinutes")} />
        </div>
        <div className="grid grid-cols-[2fr_1fr] gap-2">
          <TextField
            hint="Per application or automation; leave empty to use the spend cap."
            inputMode="numeric"
            label="Unattended cap (tokens)"
            {...form.field("unattendedSpendCapTokens")}
          />
          <TextField inputMode="numeric" label="in minutes" {...form.field("unattendedSpendCapMinutes")} />
        </div>
        <div className="grid grid-cols-3 items-start gap-2">
          <TextField
            hint="Per million tokens; empty when unknown."
            inputMode="decimal"
            label="Input price"
            {...form.field("inputPrice")}
          />
          <TextField inputMode="decimal" label="Output price" {...form.field("outputPrice")} />
          <TextField
            hint="Empty for the input price."
            inputMode="decimal"
            label="Cached input"
            {...form.field("cachedPrice")}
          />
        </div>
      </div>
      <ConnectionRequests connection={connection} form={form} />
      <Checkbox
        hint="Saves one short model call for most messages."
        label="Skip the topic check"
        {...form.register("disableTopicalClassifier")}
      />
      <Checkbox hint="Offered in the chat." label="Enabled" {...form.register("enabled")} />
    </FormPage>
  );
}
