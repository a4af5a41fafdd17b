import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { catalogKey, createSystem, updateSystem, type System, type SystemFields } from "../api/catalog";
import { teamsQuery } from "../api/teams";
import { useWrite } from "../api/write";
import { SelectField, TextArea, TextField } from "../ui/Field";
import { FormDialog } from "../ui/FormDialog";
import { formatMetadata, parseList, parseMetadata } from "./metadata";

interface SystemFormProps {
  /** The system to change; without it the form creates one. */
  system?: System;
  onClose: () => void;
  onSaved: (system: System) => void;
}

export function SystemForm({ system, onClose, onSaved }: SystemFormProps) {
  const { data: teams } = useQuery(teamsQuery);
  const [name, setName] = useState(system?.name ?? "");
  const [description, setDescription] = useState(system?.description ?? "");
  const [tags, setTags] = useState((system?.tags ?? []).join(", "));
  const [metadata, setMetadata] = useState(formatMetadata(system?.metadata));
  const [ownerTeamId, setOwnerTeamId] = useState("");

  const save = useWrite({
    send: (fields: SystemFields, key) => (system ? updateSystem(system, fields, key) : createSystem(fields, key)),
    invalidates: [catalogKey],
    onSuccess: onSaved,
  });

  return (
    <FormDialog
      busy={save.isPending}
      error={save.error}
      onClose={onClose}
      onSubmit={() =>
        save.mutate({
          name: name.trim(),
          description: description.trim(),
          tags: parseList(tags),
          metadata: parseMetadata(metadata, system?.metadata),
          ownerTeamId: ownerTeamId || undefined,
        })
      }
      submitLabel={system ? "Save" : "Create system"}
      title={system ? `Edit ${system.name}` : "New system"}
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
      {!system && (
        <SelectField
          hint="The owning team may edit the system without further rights."
          label="Owner"
          name="owner"
          onChange={(event) => setOwnerTeamId(event.currentTarget.value)}
          value={ownerTeamId}
        >
          <option value="">No team</option>
          {teams?.map((team) => (
            <option key={team.id} value={team.id}>
              {team.name}
            </option>
          ))}
        </SelectField>
      )}
      <TextField
        hint="Separated by commas."
        label="Tags"
        name="tags"
        onChange={(event) => setTags(event.currentTarget.value)}
        value={tags}
      />
      <TextArea
        hint="One per line, such as: tier = 1"
        label="Metadata"
        name="metadata"
        onChange={(event) => setMetadata(event.currentTarget.value)}
        value={metadata}
      />
    </FormDialog>
  );
}
