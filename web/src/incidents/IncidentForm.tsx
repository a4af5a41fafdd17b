import { incidentsKey, type Incident } from "../api/incidents";
import { createIncident, updateIncident } from "../api/incidentcalls";
import { incidentSchema, incidentValues, instantOf, localTime, zoneName } from "../api/forms/incident";
import { Checkbox, SelectField, TextArea, TextField } from "../ui/Field";
import { FormPage } from "../ui/FormPage";
import { useRecordForm } from "../ui/recordform";
import { SystemsField } from "./SystemsField";
import { overrideLabels, severityLabels } from "./words";

interface IncidentFormProps {
  /** The incident to change; without it the form opens one. */
  incident?: Incident;
  /** The system that a new one is about. */
  systemId?: string;
  onClose: () => void;
  onSaved: (incident: Incident) => void;
}

export function IncidentForm({ incident, systemId, onClose, onSaved }: IncidentFormProps) {
  const form = useRecordForm({
    tool: incident ? "incident.update" : "incident.create",
    schema: incidentSchema,
    item: incident,
    values: (now) => incidentValues(now, systemId),
    send: ({ startedAt, initialMessage, ...fields }, began, key): Promise<Incident> => {
      const start = instantOf(startedAt);
      if (!began)
        return createIncident({ ...fields, startedAt: start, initialMessage: initialMessage || undefined }, key);
      // The field has no seconds: a start that was not touched stays as it is.
      const moved = startedAt !== localTime(began.startedAt) && start !== undefined;
      return updateIncident(began, { ...fields, ...(moved && { startedAt: start }) }, key);
    },
    invalidates: [incidentsKey],
    onSaved,
  });
  return (
    <FormPage
      form={form}
      onClose={onClose}
      submitLabel={incident ? "Save" : "Open incident"}
      title={incident ? `Edit ${incident.title}` : "New incident"}
    >
      <TextField label="What is wrong" maxLength={200} required {...form.field("title")} />
      <SystemsField control={form.control} name="systemIds" />
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField label="Severity" {...form.field("severity")}>
          {Object.entries(severityLabels).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </SelectField>
        <TextField
          hint={`${incident ? "" : "Now if empty. "}Time zone: ${zoneName()}`}
          label="Began at"
          type="datetime-local"
          {...form.field("startedAt")}
        />
      </div>
      <TextArea label="Description" maxLength={5000} {...form.field("description")} />
      {!incident && (
        <TextArea
          hint="Everybody who sees the incident reads it."
          label="First update (optional)"
          maxLength={10_000}
          {...form.field("initialMessage")}
        />
      )}
      <SelectField hint="While the incident is open." label="Health of the systems" {...form.field("healthOverride")}>
        {Object.entries(overrideLabels).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </SelectField>
      <Checkbox hint="For drills." label="Notify nobody" {...form.register("suppressNotifications")} />
    </FormPage>
  );
}
