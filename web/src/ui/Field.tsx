import { useId, type ComponentProps, type ReactNode } from "react";

export const control =
  "w-full rounded-lg border border-input bg-card px-3 py-2 text-sm text-foreground " +
  "placeholder:text-muted-foreground/70 disabled:opacity-60 focus-visible:outline-offset-0 " +
  "aria-invalid:border-danger";

interface Labelled {
  label: string;
  hint?: ReactNode;
}

interface Valued extends Labelled {
  /** Issue with the value; shown in place of the hint. */
  issue?: string;
}

/** A field with its label above, and its hint or error below. */
export function Frame({ id, label, hint, issue, children }: Valued & { id: string; children: ReactNode }) {
  return (
    <div className="flex flex-col gap-1">
      <label className="text-sm font-medium" htmlFor={id}>
        {label}
      </label>
      {children}
      {(issue ?? hint) && (
        <p className={`text-xs wrap-anywhere ${issue ? "text-danger" : "text-muted-foreground"}`} id={`${id}-hint`}>
          {issue ?? hint}
        </p>
      )}
    </div>
  );
}

const described = (id: string, hint: ReactNode, issue: string | undefined) => ({
  "aria-describedby": (issue ?? hint) ? `${id}-hint` : undefined,
  "aria-invalid": issue ? true : undefined,
});

export function TextField({ label, hint, issue, className = "", ...rest }: Valued & ComponentProps<"input">) {
  const id = useId();
  return (
    <Frame hint={hint} id={id} issue={issue} label={label}>
      <input {...described(id, hint, issue)} className={`${control} ${className}`} id={id} {...rest} />
    </Frame>
  );
}

export function TextArea({ label, hint, issue, className = "", ...rest }: Valued & ComponentProps<"textarea">) {
  const id = useId();
  return (
    <Frame hint={hint} id={id} issue={issue} label={label}>
      <textarea {...described(id, hint, issue)} className={`${control} ${className}`} id={id} rows={3} {...rest} />
    </Frame>
  );
}

export function SelectField({ label, hint, issue, children, ...rest }: Valued & ComponentProps<"select">) {
  const id = useId();
  return (
    <Frame hint={hint} id={id} issue={issue} label={label}>
      <select {...described(id, hint, issue)} className={control} id={id} {...rest}>
        {children}
      </select>
    </Frame>
  );
}

interface CheckboxProps extends Valued, ComponentProps<"input"> {
  /** It keeps what `checked` shows, and the keyboard's place, until the answer is there. */
  busy?: boolean;
}

export function Checkbox({ label, hint, issue, busy, ...rest }: CheckboxProps) {
  const id = useId();
  return (
    <div className="flex items-start gap-2">
      <input
        {...described(id, hint, issue)}
        className="mt-0.5 size-4 shrink-0 accent-primary aria-disabled:opacity-60"
        id={id}
        type="checkbox"
        {...rest}
        {...(busy && { "aria-busy": true, "aria-disabled": true, onChange: () => {} })}
      />
      <label className="min-w-0 text-sm wrap-anywhere" htmlFor={id}>
        {label}
        {(issue ?? hint) && (
          <span className={`block text-xs ${issue ? "text-danger" : "text-muted-foreground"}`} id={`${id}-hint`}>
            {issue ?? hint}
          </span>
        )}
      </label>
    </div>
  );
}

interface ChoicesProps {
  legend: string;
  /** The field of a form that they are. */
  name?: string;
  /** Undefined while they are read. */
  options: { id: string; label: string; hint?: string }[] | undefined;
  selected: string[];
  onChange: (selected: string[]) => void;
  empty?: string;
  issue?: string;
}

/** Any number of options out of a short list. */
export function Choices({ legend, name, options, selected, onChange, empty, issue }: ChoicesProps) {
  return (
    <fieldset className="flex flex-col gap-1.5" name={name}>
      <legend className="mb-1 text-sm font-medium">{legend}</legend>
      {!options && (
        <p className="text-sm text-muted-foreground" role="status">
          Loading…
        </p>
      )}
      {options?.length === 0 && (
        <p className="text-sm text-muted-foreground">{empty ?? "There is nothing to choose."}</p>
      )}
      <div className="flex max-h-60 flex-col gap-2 overflow-y-auto rounded-lg border p-3 empty:hidden">
        {options?.map((option) => (
          <Checkbox
            checked={selected.includes(option.id)}
            hint={option.hint}
            key={option.id}
            label={option.label}
            value={option.id}
            onChange={(event) =>
              onChange(
                event.currentTarget.checked ? [...selected, option.id] : selected.filter((id) => id !== option.id),
              )
            }
          />
        ))}
      </div>
      {issue && <p className="text-xs text-danger">{issue}</p>}
    </fieldset>
  );
}
