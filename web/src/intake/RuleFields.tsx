import { get, useFieldArray, useFormState } from "react-hook-form";
import type { ReactNode } from "react";
import type { z } from "zod";
import type { AlertKind } from "../api/intake";
import { SystemsField } from "../incidents/SystemsField";
import { severityLabels } from "../incidents/words";
import { Button } from "../ui/Button";
import { SelectField, TextField } from "../ui/Field";
import { IconButton } from "../ui/IconButton";
import type { RecordForm } from "../ui/recordform";
import { labelHints } from "./words";
import type { sourceSchema } from "./schema";

type Draft = z.input<typeof sourceSchema>;
type Fields = z.output<typeof sourceSchema>;

/** The most rules of a kind that the server takes. */
const mostRules = 50;

interface RuleFieldsProps {
  form: RecordForm<Draft, Fields>;
  kind: AlertKind;
  /** A source that does not exist yet. */
  fresh: boolean;
}

/** Rules by which labels of alerts say which systems they are about, and how bad they are. */
export function RuleFields({ form, kind, fresh }: RuleFieldsProps) {
  const { control } = form;
  const systems = useFieldArray({ control, name: "systems", keyName: "formKey" });
  const severities = useFieldArray({ control, name: "severities", keyName: "formKey" });
  const { errors } = useFormState({ control });
  const issueOf = (name: string) => (get(errors, name) as { message?: string } | undefined)?.message;
  return (
    <>
      <fieldset className="flex flex-col gap-3" data-testid="system-rules">
        <legend className="mb-1 text-sm font-medium">Systems by labels</legend>
        <p className="text-sm text-muted-foreground">
          An alert is about the systems of every rule that fits. {labelHints[kind]}
        </p>
        {systems.fields.map((field, at) => (
          <Rule
            form={form}
            issue={issueOf(`systems.${at}`)}
            key={field.formKey}
            name={`systems.${at}`}
            onRemove={() => systems.remove(at)}
            title={`Systems, rule ${at + 1}`}
          >
            <SystemsField control={control} label={`Systems of rule ${at + 1}`} name={`systems.${at}.systemIds`} />
          </Rule>
        ))}
        <Button
          className="self-start"
          disabled={systems.fields.length >= mostRules}
          icon="plus"
          onClick={() => systems.append({ label: "", value: "", systemIds: [] })}
        >
          Add a rule of systems
        </Button>
      </fieldset>
      <fieldset className="flex flex-col gap-3" data-testid="severity-rules">
        <legend className="mb-1 text-sm font-medium">Severities by labels</legend>
        <p className="text-sm text-muted-foreground">
          The first rule that fits counts.
          {fresh &&
            labelHints[kind] === "" &&
            " Without any, the label severity does: critical, error, warning or info."}
        </p>
        {severities.fields.map((field, at) => (
          <Rule
            form={form}
            issue={issueOf(`severities.${at}`)}
            key={field.formKey}
            name={`severities.${at}`}
            onRemove={() => severities.remove(at)}
            title={`Severities, rule ${at + 1}`}
          >
            <SelectField label={`Severity of rule ${at + 1}`} {...form.field(`severities.${at}.severity`)}>
              {Object.entries(severityLabels).map(([value, label]) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </SelectField>
          </Rule>
        ))}
        <Button
          className="self-start"
          disabled={severities.fields.length >= mostRules}
          icon="plus"
          onClick={() =>
            severities.append({ label: labelHints[kind] === "" ? "severity" : "", value: "", severity: "major" })
          }
        >
          Add a rule of severities
        </Button>
      </fieldset>
    </>
  );
}

interface RuleProps {
  form: RecordForm<Draft, Fields>;
  name: `systems.${number}` | `severities.${number}`;
  title: string;
  /** An issue of the rule as a whole. */
  issue?: string;
  onRemove: () => void;
  children: ReactNode;
}

/** One rule: a label, its whole value, and what follows from it. */
function Rule({ form, name, title, issue, onRemove, children }: RuleProps) {
  return (
    <div aria-label={title} className="flex flex-col gap-3 rounded-lg border p-3" data-testid="rule" role="group">
      <div className="flex items-start gap-2">
        <div className="grid min-w-0 flex-1 gap-3 sm:grid-cols-2">
          <TextField label="Label" maxLength={100} required spellCheck={false} {...form.field(`${name}.label`)} />
          <TextField
            hint="The whole value."
            label="Value"
            maxLength={300}
            required
            spellCheck={false}
            {...form.field(`${name}.value`)}
          />
        </div>
        <IconButton className="mt-7" icon="trash" label={`Remove: ${title}`} onClick={onRemove} />
      </div>
      {children}
      {issue && (
        <p className="text-sm text-danger" role="alert">
          {issue}
        </p>
      )}
    </div>
  );
}
