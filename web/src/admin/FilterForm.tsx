import { useEffect, useState, type ReactNode } from "react";
import { SelectField, TextField } from "../ui/Field";
import { Icon } from "../ui/Icon";

const typingPauseMilliseconds = 300;

/** The part of a filter that both logs of the audit share: words, and the first and last day. */
export interface LogFilter {
  text?: string;
  from?: string;
  to?: string;
}

interface FilterFormProps {
  label: string;
  placeholder: string;
  testId: string;
  filter: LogFilter;
  /** The choices that stand in one row with the days, laid out by the class of columns. */
  children: ReactNode;
  columns: string;
  /** What else the list is narrowed to, as buttons that end it. */
  narrowed?: ReactNode;
  onChange: (change: LogFilter) => void;
}

/** The search field, choices and days above a log. What is typed counts after a pause. */
export function FilterForm({
  label,
  placeholder,
  testId,
  filter,
  children,
  columns,
  narrowed,
  onChange,
}: FilterFormProps) {
  const [text, setText] = useState(filter.text ?? "");
  useEffect(() => {
    if (text === (filter.text ?? "")) return;
    const timer = window.setTimeout(() => onChange({ text: text || undefined }), typingPauseMilliseconds);
    return () => window.clearTimeout(timer);
  }, [text, filter, onChange]);
  return (
    <form
      aria-label="Filters"
      className="flex flex-col gap-3"
      onSubmit={(event) => event.preventDefault()}
      role="search"
    >
      <label className="relative block">
        <span className="sr-only">{label}</span>
        <Icon className="absolute top-2.5 left-3 text-muted-foreground" name="search" size={16} />
        <input
          className="w-full rounded-lg border border-input bg-card py-2 pr-3 pl-9 text-sm"
          data-testid={testId}
          maxLength={200}
          onChange={(event) => setText(event.currentTarget.value)}
          placeholder={placeholder}
          type="search"
          value={text}
        />
      </label>
      <div className={`grid grid-cols-2 gap-3 sm:grid-cols-3 ${columns}`}>
        {children}
        <TextField
          label="From"
          max={filter.to}
          onChange={(event) => onChange({ from: event.currentTarget.value || undefined })}
          type="date"
          value={filter.from ?? ""}
        />
        <TextField
          label="To"
          min={filter.from}
          onChange={(event) => onChange({ to: event.currentTarget.value || undefined })}
          type="date"
          value={filter.to ?? ""}
        />
      </div>
      <div className="flex flex-wrap gap-2 empty:hidden">{narrowed}</div>
    </form>
  );
}

interface ChoiceProps<T extends string> {
  label: string;
  all: string;
  values: readonly T[];
  value: T | undefined;
  words?: Record<T, string>;
  onChange: (value: T | undefined) => void;
}

export function Choice<T extends string>({ label, all, values, value, words, onChange }: ChoiceProps<T>) {
  return (
    <SelectField
      label={label}
      onChange={(event) => onChange(values.find((known) => known === event.currentTarget.value))}
      value={value ?? ""}
    >
      <option value="">{all}</option>
      {values.map((known) => (
        <option key={known} value={known}>
          {words?.[known] ?? known}
        </option>
      ))}
    </SelectField>
  );
}
