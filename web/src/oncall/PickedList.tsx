import { useController, type Control, type FieldValues, type Path } from "react-hook-form";
import { Combobox, type Option } from "../ui/Combobox";
import { IconButton } from "../ui/IconButton";

interface PickedListProps<Values extends FieldValues> {
  // The output type of the form does not matter to a field.
  // oxlint-disable-next-line typescript/no-explicit-any
  control: Control<Values, any, any>;
  name: Path<Values>;
  label: string;
  hint?: string;
  options: readonly Option[] | undefined;
  /** Whether the order of the chosen ones matters. */
  ordered?: boolean;
  looking?: boolean;
  onType?: (text: string) => void;
}

/** Any number of options: one after another is looked for, moved up, and taken out again. */
export function PickedList<Values extends FieldValues>(props: PickedListProps<Values>) {
  const { control, name, options, ordered, label, ...rest } = props;
  const { field, fieldState } = useController({ control, name });
  const picked = field.value as string[];
  const labelOf = (value: string) => options?.find((option) => option.value === value)?.label ?? "…";
  const up = (at: number) => field.onChange(picked.with(at - 1, picked[at] ?? "").with(at, picked[at - 1] ?? ""));
  return (
    <div className="flex flex-col gap-2">
      <Combobox
        {...rest}
        chosen={null}
        inputRef={field.ref}
        issue={fieldState.error?.message}
        label={label}
        name={name}
        onChoose={(option) => option && !picked.includes(option.value) && field.onChange([...picked, option.value])}
        options={options?.filter(({ value }) => !picked.includes(value))}
      />
      <ol aria-label={`Chosen: ${label}`} className="flex flex-wrap gap-1.5 empty:hidden" data-testid="picked">
        {picked.map((value, at) => (
          <li className="inline-flex min-w-0 items-center gap-1 rounded-lg bg-muted pl-2.5 text-sm" key={value}>
            <span className="min-w-0 wrap-anywhere">{`${ordered ? `${at + 1}. ` : ""}${labelOf(value)}`}</span>
            {ordered && at > 0 && (
              <IconButton
                className="rotate-180"
                icon="down"
                label={`Move ${labelOf(value)} up`}
                onClick={() => up(at)}
              />
            )}
            <IconButton
              icon="close"
              label={`Remove ${labelOf(value)}`}
              onClick={() => field.onChange(picked.filter((other) => other !== value))}
            />
          </li>
        ))}
      </ol>
    </div>
  );
}
