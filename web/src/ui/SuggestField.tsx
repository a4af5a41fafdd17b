import { Autocomplete as Base } from "@base-ui/react/autocomplete";
import { useId, type ReactNode } from "react";
import { useController, type Control, type FieldValues, type Path } from "react-hook-form";
import { control as box, Frame } from "./Field";
import { OptionList } from "./OptionList";

export interface Suggestion {
  value: string;
  /** Detail that helps to choose it. */
  detail?: string;
}

interface SuggestFieldProps<Values extends FieldValues> {
  // The output type of the form does not matter to a field.
  // oxlint-disable-next-line typescript/no-explicit-any
  control: Control<Values, any, any>;
  name: Path<Values>;
  label: string;
  hint?: ReactNode;
  required?: boolean;
  suggestions: readonly Suggestion[];
  /** The field holds several, with commas between them; the one that is typed last is looked for. */
  several?: boolean;
}

/** Limit of suggestions: more would be slow to render. */
const mostShown = 100;

/** A text field with suggestions: any typed text is accepted. */
export function SuggestField<Values extends FieldValues>(props: SuggestFieldProps<Values>) {
  const { control, name, label, hint, required, suggestions, several } = props;
  const {
    field: { value, onChange, onBlur, ref },
    fieldState: { error },
  } = useController({ control, name });
  const id = useId();
  const text = String(value ?? "");
  const issue = error?.message;
  return (
    <Frame hint={hint} id={id} issue={issue} label={label}>
      <Base.Root
        filter={(one: Suggestion) => offers(one.value, text, suggestions, several)}
        itemToStringValue={(one: Suggestion) => one.value}
        items={suggestions}
        limit={mostShown}
        onValueChange={(typed, { reason }) =>
          onChange(several && reason === "item-press" ? joined(text, typed) : typed)
        }
        openOnInputClick
        value={text}
      >
        <Base.Input
          // The open list hides the label from those who do not see it.
          aria-label={label}
          aria-describedby={(issue ?? hint) ? `${id}-hint` : undefined}
          aria-invalid={issue ? true : undefined}
          className={box}
          id={id}
          name={name}
          onBlur={onBlur}
          ref={ref}
          required={required}
        />
        {suggestions.length > 0 && <OptionList none="Not in the list; your text is used." />}
      </Base.Root>
    </Frame>
  );
}

/** Splits a text at its last comma, into the part before and the typed part. */
function parts(text: string): [before: string[], last: string] {
  const all = text.split(",").map((part) => part.trim());
  const last = all.pop() ?? "";
  return [all.filter(Boolean), last];
}

/** Replaces the typed text with the chosen suggestion. */
export function joined(text: string, chosen: string): string {
  return `${[...new Set([...parts(text)[0], chosen])].join(", ")}, `;
}

/** Whether a name matches the typed text. A field that holds exactly one of the names shows all of them. */
export function offers(name: string, text: string, all: readonly Suggestion[], several?: boolean): boolean {
  const [before, last] = several ? parts(text) : [[], text.trim()];
  if (before.includes(name)) return false;
  if (!several && all.some(({ value }) => value === last)) return true;
  return last
    .toLowerCase()
    .split(/\s+/)
    .every((word) => name.toLowerCase().includes(word));
}
