import type { ReactNode } from "react";
import { SelectField, TextField } from "../ui/Field";
import { SearchField } from "../ui/SearchField";

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
  /** Further restrictions of the list, as buttons that remove them. */
  narrowed?: ReactNode;
  onChange: (change: LogFilter) => void;
}

/** The search field, choices and days above a log. */
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
  return (
    <form
      aria-label="Filters"
      className="flex flex-col gap-3"
      onSubmit={(event) => event.preventDefault()}
      role="search"
    >
      <SearchField
        label={label}
        maxLength={200}
        onSearch={(text) => onChange({ text: text || undefined })}
        placeholder={placeholder}
        testId={testId}
        value={filter.text ?? ""}
      />
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
