import { useState, type CSSProperties } from "react";
import { createSecret, secretHistoryKey, secretsQuery, updateSecret, type Secret } from "../api/secrets";
import { useWrite } from "../api/write";
import { TextArea, TextField } from "../ui/Field";
import { FormDialog } from "../ui/FormDialog";
import { useToast } from "../ui/Toast";

/** Creates a secret, or replaces the value of one. What is typed stays in the memory of this page and is stored nowhere. */
export function SecretForm({ secret, onClose }: { secret?: Secret; onClose: () => void }) {
  const toast = useToast();
  const [name, setName] = useState("");
  const [description, setDescription] = useState(secret?.description ?? "");
  const [value, setValue] = useState("");
  const save = useWrite({
    send: (fields: { name: string; description: string; value: string }, key) =>
      secret
        ? updateSecret(
            secret,
            { description: fields.description, value: fields.value === "" ? undefined : fields.value },
            key,
          )
        : createSecret(fields, key),
    invalidates: [secretsQuery.queryKey, secretHistoryKey],
    onSuccess: (saved) => {
      toast(secret ? `${saved.name} was saved` : `${saved.name} was created`);
      onClose();
    },
  });
  return (
    <FormDialog
      busy={save.isPending}
      error={save.error}
      onClose={onClose}
      onSubmit={() => save.mutate({ name, description, value })}
      submitLabel={secret ? "Save" : "Create secret"}
      title={secret ? secret.name : "New secret"}
    >
      {!secret && (
        <TextField
          autoComplete="off"
          hint="Capital letters, digits and underscores. Scripts refer to it as ${{ secrets.NAME }}. It cannot be changed later."
          label="Name"
          maxLength={64}
          name="name"
          onChange={(event) => setName(event.currentTarget.value.toUpperCase().replaceAll(/[^A-Z0-9_]/g, "_"))}
          pattern="[A-Z][A-Z0-9_]*"
          placeholder="STATUS_API_TOKEN"
          required
          spellCheck={false}
          value={name}
        />
      )}
      <TextArea
        autoComplete="off"
        hint={
          secret
            ? "Empty: the stored value stays. A new one is used by every run that starts from now on."
            : "At least 4 characters. It is stored sealed and never shown again."
        }
        label={secret ? "New value" : "Value"}
        name="value"
        onChange={(event) => setValue(event.currentTarget.value)}
        required={!secret}
        spellCheck={false}
        style={{ WebkitTextSecurity: "disc" } as CSSProperties}
        value={value}
      />
      <TextArea
        hint="What it is for and where it comes from, for colleagues. Nothing secret."
        label="Description"
        maxLength={500}
        name="description"
        onChange={(event) => setDescription(event.currentTarget.value)}
        rows={2}
        value={description}
      />
    </FormDialog>
  );
}
