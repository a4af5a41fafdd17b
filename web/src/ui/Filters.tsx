import { Toggle } from "@base-ui/react/toggle";
import { ToggleGroup } from "@base-ui/react/toggle-group";

interface FilterProps<Value extends string> {
  label: string;
  options: readonly { value: Value | undefined; label: string }[];
  value: Value | undefined;
  onChange: (value: Value | undefined) => void;
  testId?: string;
}

/** One of several values in a list that drops down. */
export function SelectFilter<Value extends string>({ label, options, value, onChange, testId }: FilterProps<Value>) {
  return (
    <select
      aria-label={label}
      className="max-w-full rounded-lg border border-input bg-card px-3 py-2 text-sm sm:max-w-60"
      data-testid={testId}
      onChange={(event) => onChange(options.find((option) => option.value === event.currentTarget.value)?.value)}
      value={value ?? ""}
    >
      {options.map((option) => (
        <option key={option.label} value={option.value ?? ""}>
          {option.label}
        </option>
      ))}
    </select>
  );
}

/** One of a few values side by side; the arrow keys move between them. */
export function ToggleFilter<Value extends string>({ label, options, value, onChange, testId }: FilterProps<Value>) {
  return (
    <ToggleGroup
      aria-label={label}
      className="flex gap-1 rounded-lg border bg-card p-1"
      data-testid={testId}
      onValueChange={([chosen]) => {
        // Pressed once more, a value stays.
        const option = options.find((one) => (one.value ?? "") === chosen);
        if (option) onChange(option.value);
      }}
      value={[value ?? ""]}
    >
      {options.map((option) => (
        <Toggle
          className={
            "rounded-md px-2.5 py-1 text-sm text-muted-foreground hover:text-foreground " +
            "aria-pressed:bg-primary-soft aria-pressed:text-primary"
          }
          key={option.label}
          value={option.value ?? ""}
        >
          {option.label}
        </Toggle>
      ))}
    </ToggleGroup>
  );
}
