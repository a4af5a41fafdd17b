import { useQueries } from "@tanstack/react-query";
import { useController, type Control, type FieldValues, type Path } from "react-hook-form";
import { systemQuery } from "../api/catalog";
import { SystemPicker } from "../health/SystemPicker";
import { IconButton } from "../ui/IconButton";

interface SystemsFieldProps<Values extends FieldValues> {
  // The output type of the form does not matter to a field.
  // oxlint-disable-next-line typescript/no-explicit-any
  control: Control<Values, any, any>;
  name: Path<Values>;
  label?: string;
  hint?: string;
}

/** Any number of systems: one after another is looked for, and can be taken out again. */
export function SystemsField<Values extends FieldValues>({
  control,
  name,
  label = "Affected systems",
  hint,
}: SystemsFieldProps<Values>) {
  const { field, fieldState } = useController({ control, name });
  const ids = field.value as string[];
  const systems = useQueries({ queries: ids.map(systemQuery) });
  return (
    <div className="flex flex-col gap-2">
      <SystemPicker
        hint={ids.length > 0 ? "Add another one." : hint}
        issue={fieldState.error?.message}
        label={label}
        name={name}
        onChange={(id) => id !== "" && !ids.includes(id) && field.onChange([...ids, id])}
        required
        value=""
      />
      <ul aria-label="Chosen systems" className="flex flex-wrap gap-1.5 empty:hidden" data-testid="chosen-systems">
        {ids.map((id, at) => (
          <li className="inline-flex min-w-0 items-center gap-1 rounded-lg bg-muted pl-2.5 text-sm" key={id}>
            <span className="min-w-0 wrap-anywhere">{systems[at]?.data?.name ?? "…"}</span>
            <IconButton
              icon="close"
              label={`Remove ${systems[at]?.data?.name ?? "the system"}`}
              onClick={() => field.onChange(ids.filter((other) => other !== id))}
            />
          </li>
        ))}
      </ul>
    </div>
  );
}
