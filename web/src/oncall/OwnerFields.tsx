import { useId, type ComponentProps } from "react";
import { SelectField, TextField } from "../ui/Field";
import { useTeams } from "./choices";

const zones = Intl.supportedValuesOf("timeZone");

/** A time zone: any name of the tz database, with the known ones to choose from. */
export function ZoneField(props: Omit<ComponentProps<typeof TextField>, "label">) {
  const id = useId();
  return (
    <>
      <TextField label="Time zone" list={id} maxLength={64} placeholder="Europe/Berlin" required {...props} />
      <datalist id={id}>
        {zones.map((zone) => (
          <option key={zone} value={zone}>
            {zone}
          </option>
        ))}
      </datalist>
    </>
  );
}

/** The team that owns a schedule or policy. */
export function TeamField(props: Omit<ComponentProps<typeof SelectField>, "label" | "children">) {
  const teams = useTeams();
  return (
    <SelectField key={teams.length} label="Team" {...props}>
      <option value="">No team</option>
      {teams.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </SelectField>
  );
}
