import { useState } from "react";
import type { NamedFields } from "../api/catalog";
import { TextArea, TextField } from "../ui/Field";
import { FormDialog } from "../ui/FormDialog";
import { formatMetadata, parseMetadata } from "./metadata";

interface NamedFormProps {
  title: string;
  initial?: NamedFields;
  withFields?: boolean;
  busy: boolean;
  error: Error | null;
  onSubmit: (fields: NamedFields) => void;
  onClose: () => void;
}

/** What groups, environments and teams are made of. */
export function NamedForm({ title, initial, withFields, busy, error, onSubmit, onClose }: NamedFormProps) {
  const [name, setName] = useState(initial?.name ?? "");
  const [description, setDescription] = useState(initial?.description ?? "");
  const [fields, setFields] = useState(formatMetadata(initial?.fields));
  const submit = () => {
    const named: NamedFields = { name: name.trim(), description: description.trim() };
    if (withFields) named.fields = parseMetadata(fields, initial?.fields);
    onSubmit(named);
  };
  return (
    <FormDialog
      busy={busy}
      error={error}
      onClose={onClose}
      onSubmit={submit}
      submitLabel={initial ? "Save" : "Create"}
      title={title}
    >
      <TextField
        label="Name"
        name="name"
        onChange={(event) => setName(event.currentTarget.value)}
        required
        value={name}
      />
      <TextArea
        label="Description"
        name="description"
        onChange={(event) => setDescription(event.currentTarget.value)}
        value={description}
      />
      {withFields && (
        <TextArea
          hint="One per line, such as: region = eu-west-1"
          label="Fields"
          name="fields"
          onChange={(event) => setFields(event.currentTarget.value)}
          value={fields}
        />
      )}
    </FormDialog>
  );
}
