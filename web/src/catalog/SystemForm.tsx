import { useQuery } from "@tanstack/react-query";
import { catalogKey, type System } from "../api/catalog";
import { createSystem, updateSystem } from "../api/catalogcalls";
import { systemSchema, systemValues } from "../api/forms/system";
import { teamsQuery } from "../api/teams";
import { SelectField, TextArea, TextField } from "../ui/Field";
import { FormPage } from "../ui/FormPage";
import { useRecordForm } from "../ui/recordform";

interface SystemFormProps {
  /** The system to change; without it the form creates one. */
  system?: System;
  onClose: () => void;
  onSaved: (system: System) => void;
}

export function SystemForm({ system, onClose, onSaved }: SystemFormProps) {
  const { data: teams } = useQuery(teamsQuery);
  const form = useRecordForm({
    schema: systemSchema(system?.metadata),
    tool: system ? "catalog.updateSystem" : "catalog.createSystem",
    item: system,
    values: systemValues,
    send: (fields, began, key) => (began ? updateSystem(began, fields, key) : createSystem(fields, key)),
    invalidates: [catalogKey],
    onSaved,
  });
  return (
    <FormPage
      form={form}
      onClose={onClose}
      submitLabel={system ? "Save" : "Create system"}
      title={system ? `Edit ${system.name}` : "New system"}
    >
      <TextField label="Name" required {...form.field("name")} />
      <TextArea label="Description" {...form.field("description")} />
      {!system && (
        <SelectField hint="The owning team can edit the system." label="Owner" {...form.field("ownerTeamId")}>
          <option value="">No team</option>
          {teams?.map((team) => (
            <option key={team.id} value={team.id}>
              {team.name}
            </option>
          ))}
        </SelectField>
      )}
      <TextField hint="Separated by commas." label="Tags" {...form.field("tags")} />
      <TextArea hint="One per line, such as: tier = 1" label="Metadata" {...form.field("metadata")} />
    </FormPage>
  );
}
