import { instantOf, localTime, zoneName } from "../api/forms/incident";
import { extensionSchema, maintenanceClosingSchema, maintenanceUpdateSchema } from "../api/forms/maintenance";
import type { Visibility } from "../api/incidents";
import { maintenancesKey, type Maintenance } from "../api/maintenances";
import { addMaintenanceUpdate, closeMaintenance, updateMaintenance } from "../api/maintenancecalls";
import { Checkbox, SelectField, TextArea, TextField } from "../ui/Field";
import { FormPage } from "../ui/FormPage";
import { useRecordForm } from "../ui/recordform";
import { useToast } from "../ui/Toast";

const visibilityLabels: Record<Visibility, string> = {
  public: "Everybody",
  logged_in: "Signed-in people",
  internal: "Maintenance managers",
};

const visibilityOptions = Object.entries(visibilityLabels).map(([value, label]) => (
  <option key={value} value={value}>
    {label}
  </option>
));

interface MaintenanceProps {
  maintenance: Maintenance;
  onClose: () => void;
}

export function UpdateForm({ maintenance, onClose }: MaintenanceProps) {
  const toast = useToast();
  const form = useRecordForm({
    tool: "maintenance.addUpdate",
    schema: maintenanceUpdateSchema,
    values: () => ({ message: "", visibility: "public" as Visibility }),
    send: (text, _, key): Promise<unknown> => addMaintenanceUpdate(maintenance.id, text, key),
    invalidates: [maintenancesKey],
    onSaved: () => {
      toast("Update posted");
      onClose();
    },
  });
  return (
    <FormPage form={form} onClose={onClose} submitLabel="Post update" title="New update">
      <TextArea
        hint="Do not include passwords or keys."
        label="What is new"
        maxLength={10_000}
        required
        rows={5}
        {...form.field("message")}
      />
      <SelectField label="Who reads it" {...form.field("visibility")}>
        {visibilityOptions}
      </SelectField>
    </FormPage>
  );
}

/** Ends a maintenance in progress, or cancels one that has not begun. */
export function CloseForm({ maintenance, onClose }: MaintenanceProps) {
  const toast = useToast();
  const { status, rule, title } = maintenance;
  const running = status === "in_progress";
  const form = useRecordForm({
    tool: "maintenance.close",
    schema: maintenanceClosingSchema,
    values: () => ({ message: "", visibility: "public" as Visibility, all: rule !== "" && !running }),
    send: ({ message, ...rest }, _, key): Promise<unknown> =>
      closeMaintenance(maintenance, { ...rest, message: message || undefined }, key),
    invalidates: [maintenancesKey],
    onSaved: () => {
      toast(running ? "Maintenance ended" : "Maintenance cancelled");
      onClose();
    },
  });
  return (
    <FormPage
      form={form}
      onClose={onClose}
      submitLabel={running ? "End maintenance" : "Cancel maintenance"}
      title={`${running ? "End" : "Cancel"} ${title}`}
    >
      <TextArea label="Last update (optional)" maxLength={10_000} rows={4} {...form.field("message")} />
      <SelectField label="Who reads it" {...form.field("visibility")}>
        {visibilityOptions}
      </SelectField>
      {rule !== "" && (
        <Checkbox
          hint={
            running ? "Otherwise only the occurrence in progress ends." : "Move or cancel one occurrence in the list."
          }
          label="All occurrences to come"
          {...form.register("all")}
        />
      )}
    </FormPage>
  );
}

/** Gives a maintenance in progress another end. */
export function ExtendForm({ maintenance, onClose }: MaintenanceProps) {
  const toast = useToast();
  const { occurrence, rule, title } = maintenance;
  const form = useRecordForm({
    tool: "maintenance.update",
    schema: extensionSchema,
    values: () => ({ endAt: localTime(occurrence.endAt) }),
    send: ({ endAt }, _, key): Promise<unknown> => {
      const end = instantOf(endAt);
      return updateMaintenance(
        maintenance,
        rule === "" ? { endAt: end } : { occurrence: { at: occurrence.at, endAt: end } },
        key,
      );
    },
    invalidates: [maintenancesKey],
    onSaved: () => {
      toast("Saved");
      onClose();
    },
  });
  return (
    <FormPage form={form} onClose={onClose} submitLabel="Save" title={`End of ${title}`}>
      <TextField
        hint={`Time zone: ${zoneName()}`}
        label="Ends at"
        required
        type="datetime-local"
        {...form.field("endAt")}
      />
    </FormPage>
  );
}

/** Moves one occurrence of a recurring maintenance. */
export function MoveForm({ maintenance, at, onClose }: MaintenanceProps & { at: string }) {
  const toast = useToast();
  const occurrence = maintenance.upcoming.find((one) => one.at === at) ?? maintenance.occurrence;
  const form = useRecordForm({
    tool: "maintenance.update",
    schema: extensionSchema,
    values: () => ({ endAt: localTime(occurrence.startAt) }),
    send: ({ endAt }, _, key): Promise<unknown> =>
      updateMaintenance(maintenance, { occurrence: { at, startAt: instantOf(endAt) } }, key),
    invalidates: [maintenancesKey],
    onSaved: () => {
      toast("Occurrence moved");
      onClose();
    },
  });
  return (
    <FormPage form={form} onClose={onClose} submitLabel="Move" title="Move one occurrence">
      <TextField
        hint={`It keeps its length. Time zone: ${zoneName()}`}
        label="Begins at"
        required
        type="datetime-local"
        {...form.field("endAt")}
      />
    </FormPage>
  );
}
