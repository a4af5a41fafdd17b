import { useFieldArray } from "react-hook-form";
import type { z } from "zod";
import { newLayer, scheduleSchema, scheduleValues } from "../api/forms/oncall";
import { oncallKey, type Schedule } from "../api/oncall";
import { createSchedule, updateSchedule } from "../api/oncallcalls";
import { Button } from "../ui/Button";
import { Checkbox, SelectField, TextArea, TextField } from "../ui/Field";
import { FormPage } from "../ui/FormPage";
import { IconButton } from "../ui/IconButton";
import { useRecordForm, type RecordForm } from "../ui/recordform";
import { usePeopleChoice } from "./choices";
import { TeamField, ZoneField } from "./OwnerFields";
import { PickedList } from "./PickedList";

type Draft = z.input<typeof scheduleSchema>;
type Fields = z.output<typeof scheduleSchema>;

interface ScheduleFormProps {
  /** The schedule to change; without it the form makes one. */
  schedule?: Schedule;
  onClose: () => void;
  onSaved: (schedule: Schedule) => void;
}

/** A schedule with its layers. */
export function ScheduleForm({ schedule, onClose, onSaved }: ScheduleFormProps) {
  const form = useRecordForm({
    tool: schedule ? "oncall.updateSchedule" : "oncall.createSchedule",
    schema: scheduleSchema,
    item: schedule,
    values: scheduleValues,
    send: (fields, began, key): Promise<Schedule> =>
      began ? updateSchedule(began, fields, key) : createSchedule(fields, key),
    invalidates: [oncallKey],
    onSaved,
  });
  return (
    <FormPage
      form={form}
      onClose={onClose}
      submitLabel={schedule ? "Save" : "Create schedule"}
      title={schedule ? `Edit ${schedule.name}` : "New schedule"}
      wide
    >
      <TextField label="Name" maxLength={120} required {...form.field("name")} />
      <div className="grid gap-4 sm:grid-cols-2">
        <TeamField hint="Its members may change the schedule." {...form.field("teamId")} />
        <ZoneField hint="Hand-over times are local times of it." {...form.field("zone")} />
      </div>
      <Layers form={form} schedule={schedule} />
      <TextArea label="Description" maxLength={2000} {...form.field("description")} />
    </FormPage>
  );
}

function Layers({ form, schedule }: { form: RecordForm<Draft, Fields>; schedule?: Schedule }) {
  const { fields, append, remove } = useFieldArray({ control: form.control, name: "layers", keyName: "formKey" });
  const people = usePeopleChoice(schedule?.people ?? [], form.watch("teamId"));
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-1 text-sm font-medium">Layers</legend>
      <p className="text-xs text-muted-foreground">Later layers take the place of earlier ones.</p>
      {fields.map((field, at) => (
        <div className="flex flex-col gap-3 rounded-lg border p-3" data-testid="layer" key={field.formKey}>
          <div className="flex items-start gap-2">
            <div className="min-w-0 flex-1">
              <TextField label="Layer name" maxLength={100} {...form.field(`layers.${at}.name`)} />
            </div>
            <IconButton className="mt-7" icon="trash" label={`Remove layer ${at + 1}`} onClick={() => remove(at)} />
          </div>
          <PickedList
            control={form.control}
            hint="They take turns in this order."
            label="People"
            name={`layers.${at}.people`}
            ordered
            {...people}
          />
          <div className="grid gap-3 sm:grid-cols-3">
            <TextField label="First hand-over" required type="datetime-local" {...form.field(`layers.${at}.start`)} />
            <TextField inputMode="numeric" label="Shift length" required {...form.field(`layers.${at}.length`)} />
            <SelectField label="Unit" {...form.field(`layers.${at}.unit`)}>
              <option value="hours">hours</option>
              <option value="days">days</option>
              <option value="weeks">weeks</option>
            </SelectField>
          </div>
          <TextField
            hint="Empty for always. Such as mon-fri 09:00-17:00, sat 10:00-12:00."
            label="Hours"
            {...form.field(`layers.${at}.hours`)}
          />
          <Checkbox label="Beside the layers before it, not in their place" {...form.register(`layers.${at}.beside`)} />
        </div>
      ))}
      <Button
        className="self-start"
        data-testid="add-layer"
        disabled={fields.length >= 10}
        icon="plus"
        onClick={() => append(newLayer(new Date()))}
      >
        Add a layer
      </Button>
    </fieldset>
  );
}
