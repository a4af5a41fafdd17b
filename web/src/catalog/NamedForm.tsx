import { useState } from "react";
import type { NamedFields } from "../api/catalog";
import { TextArea, TextField } from "../ui/Field";
import { FormDialog } from "../ui/FormDialog";

interface NamedFormProps {
  title: string;
  initial?: NamedFields;
  busy: boolean;
  error: Error | null;
  onSubmit: (fields: NamedFields) => void;
  onClose: () => void;
}

/** Name and description: all that groups, environments and teams are made of. */
export function NamedForm({ title, initial, busy, error, onSubmit, onClose }: NamedFormProps) {
  const [name, setName] = useState(initial?.name ?? "");
  const [description, setDescription] = useState(initial?.description ?? "");
  return (
    <FormDialog
      busy={busy}
      error={error}
      onClose={onClose}
      onSubmit={() => onSubmit({ name: name.trim(), description: description.trim() })}
      submitLabel={initial ? "Save" : "Create"}
      title={title}
    >
      <TextField label="Name" name="name" onChange={(event) => setName(event.currentTarget.value)} required value={name} />
      <TextArea
        label="Description"
        name="description"
        onChange={(event) => setDescription(event.currentTarget.value)}
        value={description}
      />
    </FormDialog>
  );
}
