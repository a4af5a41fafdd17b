import { useController, type Control, type FieldValues, type Path } from "react-hook-form";
import { Choices } from "./Field";

interface ChoicesFieldProps<Values extends FieldValues> {
  // The output type of the form does not matter to a field.
  // oxlint-disable-next-line typescript/no-explicit-any
  control: Control<Values, any, any>;
  name: Path<Values>;
  legend: string;
  /** Undefined while they are read. */
  options: { id: string; label: string; hint?: string }[] | undefined;
  empty?: string;
}

/** Any number of options out of a short list; the form holds their ids, in the order of the list. */
export function ChoicesField<Values extends FieldValues>({ control, name, ...rest }: ChoicesFieldProps<Values>) {
  const { field, fieldState } = useController({ control, name });
  return (
    <Choices
      {...rest}
      issue={fieldState.error?.message}
      name={name}
      onChange={(ids) => {
        const known = (rest.options ?? []).map(({ id }) => id).filter((id) => ids.includes(id));
        field.onChange([...known, ...ids.filter((id) => !known.includes(id))]);
      }}
      selected={field.value}
    />
  );
}
