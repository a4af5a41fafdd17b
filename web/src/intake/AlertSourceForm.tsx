import {
  alertSourcesQuery,
  createAlertSource,
  updateAlertSource,
  type AlertKind,
  type AlertSource,
} from "../api/intake";
import { SystemsField } from "../incidents/SystemsField";
import { severityLabels } from "../incidents/words";
import { Checkbox, SelectField, TextField } from "../ui/Field";
import { FormPage } from "../ui/FormPage";
import { useRecordForm } from "../ui/recordform";
import type { Once } from "./dialogs";
import { RuleFields } from "./RuleFields";
import { sourceSchema, sourceValues } from "./schema";
import { describeRules, kindLabels, ruleLabels } from "./words";

const groups = (kind: AlertKind) => kind === "alertmanager" || kind === "grafana";

interface AlertSourceFormProps {
  source?: AlertSource;
  onClose: () => void;
  onCreated: (created: Once) => void;
}

/** Creates or changes a source. */
export function AlertSourceForm({ source, onClose, onCreated }: AlertSourceFormProps) {
  const form = useRecordForm({
    schema: sourceSchema,
    item: source,
    values: sourceValues,
    labels: ruleLabels,
    describe: describeRules,
    send: async (
      { kind, enabled, groupBy, topicArn, severities, ...fields },
      began,
      key,
    ): Promise<AlertSource & Once> => {
      const more = {
        ...fields,
        // A new source without rules gets the usual ones.
        ...((began || severities.length > 0) && { severities }),
        ...(groups(kind) && { groupBy }),
        ...(kind === "cloudwatch" && { topicArn }),
      };
      return began
        ? updateAlertSource(began, { ...more, enabled }, key)
        : createAlertSource({ ...more, kind, disabled: !enabled }, key);
    },
    invalidates: [alertSourcesQuery.queryKey],
    onSaved: (saved) => {
      onClose();
      if (!source) onCreated(saved);
    },
  });
  const kind = form.watch("kind");
  return (
    <FormPage
      form={form}
      onClose={onClose}
      submitLabel={source ? "Save" : "Create source"}
      title={source ? source.name : "New source of alerts"}
      wide
    >
      <TextField label="Name" maxLength={100} required {...form.field("name")} />
      {!source && (
        <SelectField label="Sent by" {...form.field("kind")}>
          {Object.entries(kindLabels).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </SelectField>
      )}
      {kind === "cloudwatch" && (
        <TextField
          hint="Only messages of this topic count."
          label="ARN of the SNS topic"
          maxLength={300}
          placeholder="arn:aws:sns:eu-central-1:123456789012:alarms"
          required
          spellCheck={false}
          {...form.field("topicArn")}
        />
      )}
      <SystemsField control={form.control} hint="When no rule fits." name="systemIds" />
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField hint="When no rule fits." label="Severity" {...form.field("severity")}>
          {Object.entries(severityLabels).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </SelectField>
        <TextField
          hint="Minutes after the end; 0 for never."
          inputMode="numeric"
          label="Reopen an incident within"
          {...form.field("reopenWithinMinutes")}
        />
      </div>
      {groups(kind) && (
        <SelectField label="Incidents" {...form.field("groupBy")}>
          <option value="group">One for each group of alerts</option>
          <option value="alert">One for each alert</option>
        </SelectField>
      )}
      <RuleFields form={form} fresh={!source} kind={kind} />
      <Checkbox hint="Otherwise what it sends is refused." label="Take its alerts" {...form.register("enabled")} />
    </FormPage>
  );
}
