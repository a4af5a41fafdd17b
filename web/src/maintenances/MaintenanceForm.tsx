import { instantOf, localTime } from "../api/forms/incident";
import { maintenanceSchema, maintenanceValues } from "../api/forms/maintenance";
import { maintenancesKey, type Maintenance } from "../api/maintenances";
import { createMaintenance, updateMaintenance } from "../api/maintenancecalls";
import { SystemsField } from "../incidents/SystemsField";
import { Checkbox, TextArea, TextField } from "../ui/Field";
import { FormPage } from "../ui/FormPage";
import { PeriodFields } from "../ui/PeriodFields";
import { useRecordForm } from "../ui/recordform";

interface MaintenanceFormProps {
  /** The maintenance to change; without it the form schedules one. */
  maintenance?: Maintenance;
  /** The system that a new one is about. */
  systemId?: string;
  onClose: () => void;
  onSaved: (maintenance: Maintenance) => void;
}

export function MaintenanceForm({ maintenance, systemId, onClose, onSaved }: MaintenanceFormProps) {
  const form = useRecordForm({
    tool: maintenance ? "maintenance.update" : "maintenance.create",
    schema: maintenanceSchema,
    item: maintenance,
    values: (now) => maintenanceValues(now, systemId),
    send: ({ startAt, endAt, ...fields }, began, key): Promise<Maintenance> => {
      const [start, end] = [instantOf(startAt) ?? "", instantOf(endAt) ?? ""];
      if (!began) return createMaintenance({ ...fields, startAt: start, endAt: end }, key);
      // The fields have no seconds: times that were not touched stay as they are.
      const moved = {
        ...(startAt !== localTime(began.startAt) && { startAt: start }),
        ...(endAt !== localTime(began.endAt) && { endAt: end }),
      };
      return updateMaintenance(began, { ...fields, ...moved }, key);
    },
    invalidates: [maintenancesKey],
    onSaved,
  });
  return (
    <FormPage
      form={form}
      onClose={onClose}
      submitLabel={maintenance ? "Save" : "Schedule maintenance"}
      title={maintenance ? `Edit ${maintenance.title}` : "New maintenance"}
    >
      <TextField label="What is done" maxLength={200} required {...form.field("title")} />
      <SystemsField control={form.control} name="systemIds" />
      <PeriodFields begin={form.field("startAt")} end={form.field("endAt")} />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          hint="Empty if it happens once. Such as FREQ=WEEKLY;BYDAY=SU."
          label="Recurrence rule"
          maxLength={1024}
          {...form.field("rule")}
        />
        <TextField
          hint="In which it is planned and recurs."
          label="Time zone"
          maxLength={64}
          required
          {...form.field("zone")}
        />
      </div>
      <TextArea label="Description" maxLength={5000} {...form.field("description")} />
      <Checkbox
        hint="While it is in progress. Checks keep running."
        label="Suppress notifications"
        {...form.register("suppressNotifications")}
      />
    </FormPage>
  );
}
