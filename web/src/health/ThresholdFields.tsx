import type { Thresholds } from "../api/health";
import { Checkbox, SelectField, TextField } from "../ui/Field";
import { thresholdWords, usual } from "./thresholds";

interface ThresholdFieldsProps {
  value: Thresholds;
  onChange: (value: Thresholds) => void;
  issue: (member: string) => string | undefined;
}

/** Thresholds of the status. Empty fields have their defaults. */
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
        onChange={(event) => {
          const { flapChanges, flapMinutes, unknownAfter } = value;
          const kept = {
            ...(unknownAfter && { unknownAfter }),
            ...(flapChanges && { flapChanges }),
            ...(flapMinutes && { flapMinutes }),
          };
          onChange(event.currentTarget.value === "window" ? { mode: "window", ...kept } : kept);
        }}
        value={mode}
      >
        <option value="consecutive">consecutive runs</option>
        <option value="window">a window of the last runs</option>
      </SelectField>
      <div className="grid gap-3 sm:grid-cols-3">
        {mode === "window"
          ? number("windowSize", "Last runs", usual.window.windowSize)
          : number("healthyAfter", "Passed for healthy", usual.consecutive.healthyAfter)}
        {number("degradedAfter", "Failed for degraded", usual[mode].degradedAfter)}
        {number("unhealthyAfter", "Failed for unhealthy", usual[mode].unhealthyAfter)}
        {number("unknownAfter", "Not made for unknown", usual.unknown.unknownAfter)}
      </div>
      <Checkbox
        checked={value.flapChanges !== -1}
        hint="A flapping target keeps the worse status until it is stable."
        label="Dampen a flapping status"
        onChange={(event) => {
          const { flapChanges: _, flapMinutes: __, ...rest } = value;
          onChange(event.currentTarget.checked ? rest : { ...rest, flapChanges: -1 });
        }}
      />
      {value.flapChanges !== -1 && (
        <div className="grid gap-3 sm:grid-cols-2">
          {number("flapChanges", "Changes", usual.flaps.flapChanges)}
          {number("flapMinutes", "Within minutes", usual.flaps.flapMinutes)}
        </div>
      )}
      <p className="text-xs text-muted-foreground">{thresholdWords(value)}</p>
    </div>
  );
}
