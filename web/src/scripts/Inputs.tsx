import { useId, type TextareaHTMLAttributes } from "react";
import { Checkbox, TextField } from "../ui/Field";
import type { Draft } from "./draft";
import type { Place } from "./places";
import { timeoutLimits, type InputIssues } from "./request";

interface InputsProps {
  place: Place;
  draft: Draft;
  issues: InputIssues;
  onChange: (change: Partial<Draft>) => void;
}

/** Inputs of a run beside the script. */
export function Inputs({ place, draft, issues, onChange }: InputsProps) {
  return (
    <div className="flex flex-col gap-4">
      <div className="grid gap-4 md:grid-cols-2">
        <JSONField
          hint="The run’s input, in the same shape as in production."
          issue={issues.sample}
          label="Sample context"
          name="sample"
          onChange={(event) => onChange({ sample: event.currentTarget.value })}
          rows={9}
          value={draft.sample}
        />
        <div className="flex flex-col gap-4">
          {place.config !== undefined && (
            <JSONField
              hint="The configuration of the check."
              issue={issues.config}
              label="Configuration"
              name="config"
              onChange={(event) => onChange({ config: event.currentTarget.value })}
              rows={5}
              value={draft.config}
            />
          )}
          {place.language === "shell" && (
            <JSONField
              hint={"Added to those of the context. Tests get a placeholder for ${{ secrets.NAME }}."}
              issue={issues.env}
              label="Environment variables"
              name="env"
              onChange={(event) => onChange({ env: event.currentTarget.value })}
              rows={3}
              value={draft.env}
            />
          )}
          <TextField
            data-testid="script-timeout"
            hint={`From ${timeoutLimits.min} to ${timeoutLimits.max}. The script policy may allow less.`}
            inputMode="decimal"
            issue={issues.timeout}
            label="Time limit in seconds"
            onChange={(event) => onChange({ timeout: event.currentTarget.value })}
            value={draft.timeout}
          />
          {place.language === "typescript" && (
            <Checkbox
              checked={draft.checkTypes}
              hint="The same check as on saving."
              label="Check types"
              onChange={(event) => onChange({ checkTypes: event.currentTarget.checked })}
            />
          )}
        </div>
      </div>
      <p className="text-xs text-muted-foreground">
        The draft is kept in this browser only. Do not put secrets into it.
      </p>
    </div>
  );
}

interface JSONFieldProps extends TextareaHTMLAttributes<HTMLTextAreaElement> {
  label: string;
  hint: string;
  name: string;
  issue?: string;
}

/** A field for a JSON object that says at once when it is none. */
function JSONField({ label, hint, name, issue, ...rest }: JSONFieldProps) {
  const id = useId();
  return (
    <div className="flex flex-col gap-1">
      <label className="text-sm font-medium" htmlFor={id}>
        {label}
      </label>
      <textarea
        aria-describedby={`${id}-hint`}
        aria-invalid={issue !== undefined}
        className={
          "w-full rounded-lg border border-input bg-card px-3 py-2 font-mono text-[0.8125rem] " +
          "focus-visible:outline-offset-0 aria-invalid:border-danger"
        }
        data-testid={`script-${name}`}
        id={id}
        spellCheck={false}
        {...rest}
      />
      <p
        className={`text-xs wrap-anywhere ${issue === undefined ? "text-muted-foreground" : "text-danger"}`}
        id={`${id}-hint`}
      >
        {issue ?? hint}
      </p>
    </div>
  );
}
