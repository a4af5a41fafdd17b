import { instantOf, localTime } from "../api/forms/incident";
import { calendarSchema, overrideSchema } from "../api/forms/oncall";
import { oncallKey, type Schedule } from "../api/oncall";
import { addOverride, setCalendar } from "../api/oncallcalls";
import { ComboboxField } from "../ui/Combobox";
import { control, Frame, TextField } from "../ui/Field";
import { FormPage } from "../ui/FormPage";
import { PeriodFields } from "../ui/PeriodFields";
import { useRecordForm } from "../ui/recordform";
import { useToast } from "../ui/Toast";
import { usePeopleChoice } from "./choices";

interface ScheduleProps {
  schedule: Schedule;
  onClose: () => void;
}

/** Puts a person on call for a while. */
export function OverrideForm({ schedule, onClose }: ScheduleProps) {
  const toast = useToast();
  const { options, ...people } = usePeopleChoice(schedule.people, schedule.team?.id ?? "");
  const form = useRecordForm({
    tool: "oncall.addOverride",
    schema: overrideSchema,
    values: () => ({ personId: "", replacesId: "", start: localTime(new Date().toISOString()), end: "" }),
    send: ({ personId, replacesId, start, end }, _, key): Promise<unknown> =>
      addOverride(
        schedule.id,
        { personId, replacesId: replacesId || null, start: instantOf(start) ?? "", end: instantOf(end) ?? "" },
        key,
      ),
    invalidates: [oncallKey],
    onSaved: () => {
      toast("Override added");
      onClose();
    },
  });
  return (
    <FormPage form={form} onClose={onClose} submitLabel="Add override" title={`Override in ${schedule.name}`}>
      <ComboboxField
        control={form.control}
        label="On call"
        name="personId"
        options={options}
        placeholder="Choose a person"
        required
        {...people}
      />
      <ComboboxField
        control={form.control}
        hint="Empty for everybody's place."
        label="In place of"
        name="replacesId"
        options={schedule.people.map(({ id, name = "A deleted user" }) => ({ value: id, label: name }))}
      />
      <PeriodFields begin={form.field("start")} end={form.field("end")} />
    </FormPage>
  );
}

/** Imports a calendar from a feed or a file. */
export function CalendarForm({ schedule, onClose }: ScheduleProps) {
  const toast = useToast();
  const form = useRecordForm({
    tool: "oncall.setCalendar",
    schema: calendarSchema,
    values: () => ({ url: "", file: "" }),
    send: ({ url, file }, _, key): Promise<unknown> => setCalendar(schedule, url ? { url } : { file }, key),
    invalidates: [oncallKey],
    onSaved: () => {
      toast("Calendar imported");
      onClose();
    },
  });
  const read = async (file: File | undefined) =>
    form.setValue("file", file ? await file.text() : "", { shouldDirty: true });
  return (
    <FormPage form={form} onClose={onClose} submitLabel="Import" title={`Calendar of ${schedule.name}`}>
      <TextField
        hint="It is read every quarter of an hour and not shown again."
        label="Address of an iCal feed"
        maxLength={2000}
        placeholder="https://…"
        type="url"
        {...form.field("url")}
      />
      <Frame hint="Read once." id="calendar-file" label="Or a file">
        <input
          accept=".ics,text/calendar"
          className={control}
          id="calendar-file"
          onChange={(event) => void read(event.currentTarget.files?.[0])}
          type="file"
        />
      </Frame>
    </FormPage>
  );
}
