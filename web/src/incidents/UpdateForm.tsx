import {
  incidentsKey,
  type Incident,
  type IncidentStatus,
  type IncidentUpdate,
  type Visibility,
} from "../api/incidents";
import { addUpdate, editUpdate, resolveIncident } from "../api/incidentcalls";
import { closingSchema, instantOf, updateSchema, zoneName } from "../api/forms/incident";
import { SelectField, TextArea, TextField } from "../ui/Field";
import { FormPage } from "../ui/FormPage";
import { useRecordForm } from "../ui/recordform";
import { useToast } from "../ui/Toast";
import { statusLabels, visibilityLabels } from "./words";

const visibilityOptions = Object.entries(visibilityLabels).map(([value, label]) => (
  <option key={value} value={value}>
    {label}
  </option>
));

interface UpdateFormProps {
  incident: Incident;
  /** The update to edit; without it the form writes a new one. */
  update?: IncidentUpdate;
  onClose: () => void;
}

export function UpdateForm({ incident, update, onClose }: UpdateFormProps) {
  const toast = useToast();
  const form = useRecordForm({
    tool: "incident.addUpdate",
    schema: updateSchema,
    values: () => ({
      message: update?.message ?? "",
      statusChange: "" as IncidentStatus | "",
      visibility: update?.visibility ?? ("public" as Visibility),
    }),
    send: ({ statusChange, ...text }, _, key): Promise<unknown> =>
      update ? editUpdate(incident.id, update, text, key) : addUpdate(incident.id, { ...text, statusChange }, key),
    invalidates: [incidentsKey],
    onSaved: () => {
      toast(update ? "Update changed" : "Update posted");
      onClose();
    },
  });
  return (
    <FormPage
      form={form}
      onClose={onClose}
      submitLabel={update ? "Save" : "Post update"}
      title={update ? "Edit update" : "New update"}
    >
      <TextArea
        hint="Do not include passwords or keys."
        label="What is new"
        maxLength={10_000}
        required
        rows={5}
        {...form.field("message")}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        {!update && (
          <SelectField label="Status" {...form.field("statusChange")}>
            <option value="">Stays {statusLabels[incident.status].toLowerCase()}</option>
            {Object.entries(statusLabels)
              .filter(([value]) => value !== incident.status)
              .map(([value, label]) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
          </SelectField>
        )}
        <SelectField label="Who reads it" {...form.field("visibility")}>
          {visibilityOptions}
        </SelectField>
      </div>
    </FormPage>
  );
}

export function ResolveForm({ incident, onClose }: { incident: Incident; onClose: () => void }) {
  const toast = useToast();
  const form = useRecordForm({
    tool: "incident.resolve",
    schema: closingSchema,
    values: () => ({ message: "", visibility: "public" as Visibility, resolvedAt: "" }),
    send: ({ message, visibility, resolvedAt }, _, key) =>
      resolveIncident(
        incident.id,
        { message: message || undefined, visibility, resolvedAt: instantOf(resolvedAt) },
        key,
      ),
    invalidates: [incidentsKey],
    onSaved: () => {
      toast("Incident resolved");
      onClose();
    },
  });
  return (
    <FormPage form={form} onClose={onClose} submitLabel="Resolve incident" title={`Resolve ${incident.title}`}>
      <TextArea
        hint="The cause, and what ended it."
        label="Last update (optional)"
        maxLength={10_000}
        rows={4}
        {...form.field("message")}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField label="Who reads it" {...form.field("visibility")}>
          {visibilityOptions}
        </SelectField>
        <TextField
          hint={`Now if empty. Time zone: ${zoneName()}`}
          label="Ended at"
          type="datetime-local"
          {...form.field("resolvedAt")}
        />
      </div>
    </FormPage>
  );
}
