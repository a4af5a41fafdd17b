import { Combobox as Base } from "@base-ui/react/combobox";
import { useId, type ReactNode, type Ref } from "react";
import { useController, type Control, type FieldValues, type Path } from "react-hook-form";
import { control as box, Frame } from "./Field";
import { Icon } from "./Icon";
import { OptionList } from "./OptionList";

export interface Option {
  value: string;
  label: string;
  /** Detail that tells it from others of the same name. */
  detail?: string;
}

interface Described {
  label: string;
  hint?: ReactNode;
  placeholder?: string;
  /** Undefined while they are being read. */
  options: readonly Option[] | undefined;
  required?: boolean;
  /** Called with the typed text; options loaded for it are filtered here like the others. */
  onType?: (text: string) => void;
  /** Whether options for the typed text are still loading. */
  looking?: boolean;
}

interface ComboboxProps extends Described {
  name?: string;
  issue?: string;
  chosen: Option | null;
  onChoose: (option: Option | null) => void;
  /** Searches options for the typed text; without it they are filtered here. */
  onSearch?: (text: string) => void;
  onBlur?: () => void;
  inputRef?: Ref<HTMLInputElement>;
}

/** One of a list that is too long to read: type to search, arrows to move, Enter to take one. */
export function Combobox({ inputRef, ...props }: ComboboxProps) {
  const { name, label, hint, issue, placeholder, options, required, chosen, onChoose, onSearch, onBlur } = props;
  const { onType, looking } = props;
  const id = useId();
  const { contains } = Base.useFilter();
  return (
    <Frame hint={hint} id={id} issue={issue} label={label}>
      <Base.Root
        autoHighlight
        filter={onSearch ? null : (option: Option, query) => contains(option, query, searched(query))}
        isItemEqualToValue={(one: Option, other: Option) => one.value === other.value}
        itemToStringLabel={labelOf}
        items={options ?? []}
        onInputValueChange={(text, { reason }) => {
          onSearch?.(text);
          // Choosing one writes its name.
          onType?.(reason === "input-change" ? text : "");
        }}
        onValueChange={(option: Option | null) => onChoose(option)}
        value={chosen}
      >
        <div className="relative">
          <Base.Input
            aria-describedby={(issue ?? hint) ? `${id}-hint` : undefined}
            aria-invalid={issue ? true : undefined}
            className={`${box} pr-9`}
            id={id}
            name={name}
            onBlur={onBlur}
            placeholder={placeholder}
            ref={inputRef}
            required={required}
          />
          <Base.Icon className="pointer-events-none absolute top-2.5 right-2.5 text-muted-foreground">
            <Icon name="down" size={16} />
          </Base.Icon>
        </div>
        <OptionList none={options && !looking ? "Nothing matches." : "Loading…"} />
      </Base.Root>
    </Frame>
  );
}

const labelOf = ({ label }: Option) => label;
const detailOf = ({ detail = "" }: Option) => detail;

/** Where a text is looked for. The domain of their addresses would be found with everybody. */
const searched = (text: string) => (text.includes("@") ? detailOf : labelOf);

interface ComboboxFieldProps<Values extends FieldValues> extends Described {
  // The output type of the form does not matter to a field.
  // oxlint-disable-next-line typescript/no-explicit-any
  control: Control<Values, any, any>;
  name: Path<Values>;
}

/** A combobox in a form, which holds its value. */
export function ComboboxField<Values extends FieldValues>({ control, name, ...rest }: ComboboxFieldProps<Values>) {
  const {
    field: { value: chosen, onChange, onBlur, ref },
    fieldState: { error },
  } = useController({ control, name });
  return (
    <Combobox
      {...rest}
      chosen={rest.options?.find(({ value }) => value === chosen) ?? null}
      inputRef={ref}
      issue={error?.message}
      name={name}
      onBlur={onBlur}
      onChoose={(option) => onChange(option?.value ?? "")}
    />
  );
}
