import type { Thresholds } from "../api/health";
import { SelectField, TextField } from "../ui/Field";
import { thresholdWords, usual } from "./thresholds";

interface ThresholdFieldsProps {
  value: Thresholds;
  onChange: (value: Thresholds) => void;
  issue: (member: string) => string | undefined;
}

/** From which runs the status comes. What is left empty is as usual. */
export function ThresholdFields({ value, onChange, issue }: ThresholdFieldsProps) {
  const mode = value.mode === "window" ? "window" : "consecutive";
  const set = (member: keyof Thresholds, text: string) => {
    const next: Thresholds = { ...value };
    delete next[member];
    const number = Number(text);
    onChange(text.trim() === "" || !Number.isFinite(number) ? next : { ...next, [member]: number });
  };
  const number = (member: Exclude<keyof Thresholds, "mode">, label: string, standard: number) => (
    <TextField
      inputMode="numeric"
      issue={issue(member)}
      label={label}
      onChange={(event) => set(member, event.currentTarget.value)}
      placeholder={String(standard)}
      value={value[member] ?? ""}
    />
  );
  return (
    <div className="flex flex-col gap-3">
      <SelectField
        label="The status comes from"
        onChange={(event) => onChange(event.currentTarget.value === "window" ? { mode: "window" } : {})}
        value={mode}
      >
        <option value="consecutive">runs one after the other</option>
        <option value="window">the last runs, whichever failed</option>
      </SelectField>
      <div className="grid gap-3 sm:grid-cols-3">
        {mode === "window"
          ? number("windowSize", "Last runs", usual.window.windowSize)
          : number("healthyAfter", "Passed for healthy", usual.consecutive.healthyAfter)}
        {number("degradedAfter", "Failed for degraded", usual[mode].degradedAfter)}
        {number("unhealthyAfter", "Failed for unhealthy", usual[mode].unhealthyAfter)}
      </div>
      <p className="text-xs text-muted-foreground">{thresholdWords(value)}</p>
    </div>
  );
}
