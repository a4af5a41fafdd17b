import type { CSSProperties } from "react";
import { secretSchema, secretValues } from "../api/forms/secret";
import { createSecret, secretHistoryKey, secretsQuery, updateSecret, type Secret } from "../api/secrets";
import { TextArea, TextField } from "../ui/Field";
import { FormPage } from "../ui/FormPage";
import { useRecordForm } from "../ui/recordform";
import { useToast } from "../ui/Toast";

/**
 * Creates a secret, or replaces the value of one. Typed text stays in the memory of this page and is stored nowhere.
 */
export function SecretForm({ secret, onClose }: { secret?: Secret; onClose: () => void }) {
  const toast = useToast();
  const form = useRecordForm({
    schema: secretSchema(secret),
    item: secret,
    values: secretValues,
    send: ({ name, description, value }, began, key) =>
      began
        ? updateSecret(began, { description, value: value === "" ? undefined : value }, key)
        : createSecret({ name, description, value }, key),
    invalidates: [secretsQuery.queryKey, secretHistoryKey],
    onSaved: (saved) => {
      toast(secret ? `${saved.name} was saved` : `${saved.name} was created`);
      onClose();
    },
  });
  return (
    <FormPage
      form={form}
      onClose={onClose}
      submitLabel={secret ? "Save" : "Create secret"}
      title={secret ? secret.name : "New secret"}
    >
      {!secret && (
        <TextField
          autoComplete="off"
          hint="Uppercase letters, digits and underscores. Scripts refer to it as ${{ secrets.NAME }}. It cannot be changed later."
          label="Name"
          maxLength={64}
          placeholder="STATUS_API_TOKEN"
          required
          spellCheck={false}
          {...form.field("name", (typed) => typed.toUpperCase().replaceAll(/[^A-Z0-9_]/g, "_"))}
        />
      )}
      <TextArea
        autoComplete="off"
        hint={
          secret
            ? "Leave empty to keep the stored value. New runs use a new value."
            : "At least 4 characters. Stored encrypted; never shown again."
        }
        label={secret ? "New value" : "Value"}
        required={!secret}
        spellCheck={false}
        style={{ WebkitTextSecurity: "disc" } as CSSProperties}
        {...form.field("value")}
      />
      <TextArea
        hint="Purpose and origin, for colleagues. Nothing secret."
        label="Description"
        maxLength={500}
        rows={2}
        {...form.field("description")}
      />
    </FormPage>
  );
}
