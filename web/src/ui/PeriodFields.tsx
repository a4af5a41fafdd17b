import type { ComponentProps } from "react";
import { zoneName } from "../api/forms/incident";
import { TextField } from "./Field";

type FormField = Omit<ComponentProps<typeof TextField>, "label">;

interface PeriodFieldsProps {
  begin: FormField;
  end: FormField;
}

/** The two local times of a period. */
export function PeriodFields({ begin, end }: PeriodFieldsProps) {
  const hint = `Time zone: ${zoneName()}`;
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <TextField hint={hint} label="Begins at" required type="datetime-local" {...begin} />
      <TextField hint={hint} label="Ends at" required type="datetime-local" {...end} />
    </div>
  );
}
