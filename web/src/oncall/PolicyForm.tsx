import { useFieldArray } from "react-hook-form";
import type { z } from "zod";
import { newStep, policySchema, policyValues } from "../api/forms/oncall";
import { oncallKey, type Policy } from "../api/oncall";
import { createPolicy, updatePolicy } from "../api/oncallcalls";
import { Button } from "../ui/Button";
import { ChoicesField } from "../ui/ChoicesField";
import { Checkbox, TextArea, TextField } from "../ui/Field";
import { FormPage } from "../ui/FormPage";
import { IconButton } from "../ui/IconButton";
import { useRecordForm, type RecordForm } from "../ui/recordform";
import { useTargets } from "./choices";
import { TeamField, ZoneField } from "./OwnerFields";
import { PickedList } from "./PickedList";

type Draft = z.input<typeof policySchema>;
type Fields = z.output<typeof policySchema>;

const severities = [
  { id: "minor", label: "Minor" },
  { id: "major", label: "Major" },
  { id: "critical", label: "Critical" },
];

interface PolicyFormProps {
  /** The policy to change; without it the form makes one. */
  policy?: Policy;
  onClose: () => void;
  onSaved: (policy: Policy) => void;
}

/** An escalation policy with its steps. */
export function PolicyForm({ policy, onClose, onSaved }: PolicyFormProps) {
  const form = useRecordForm({
    tool: policy ? "oncall.updatePolicy" : "oncall.createPolicy",
    schema: policySchema,
    item: policy,
    values: policyValues,
    send: (fields, began, key): Promise<Policy> =>
      began ? updatePolicy(began, fields, key) : createPolicy(fields, key),
    invalidates: [oncallKey],
    onSaved,
  });
  return (
    <FormPage
      form={form}
      onClose={onClose}
      submitLabel={policy ? "Save" : "Create policy"}
      title={policy ? `Edit ${policy.name}` : "New escalation policy"}
      wide
    >
      <TextField label="Name" maxLength={120} required {...form.field("name")} />
      <div className="grid gap-4 sm:grid-cols-2">
        <TeamField hint="It is for incidents of the systems of this team." {...form.field("teamId")} />
        <ZoneField hint="Hours of steps are local times of it." {...form.field("zone")} />
      </div>
      <Steps form={form} policy={policy} />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          hint="How often all steps are taken again."
          inputMode="numeric"
          label="Repeats"
          required
          {...form.field("repeats")}
        />
        <TextField
          hint="After the last step."
          inputMode="decimal"
          label="Minutes until they begin again"
          required
          {...form.field("betweenMinutes")}
        />
      </div>
      <ChoicesField
        control={form.control}
        legend="Severities (all when none is chosen)"
        name="severities"
        options={severities}
      />
      <Checkbox
        hint="It is for incidents that no other policy is for."
        label="Default policy"
        {...form.register("default")}
      />
      <Checkbox label="Enabled" {...form.register("enabled")} />
      <TextArea label="Description" maxLength={2000} {...form.field("description")} />
    </FormPage>
  );
}

function Steps({ form, policy }: { form: RecordForm<Draft, Fields>; policy?: Policy }) {
  const { fields, append, remove } = useFieldArray({ control: form.control, name: "steps", keyName: "formKey" });
  const targets = useTargets(policy, form.watch("teamId"));
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-1 text-sm font-medium">Steps</legend>
      {fields.map((field, at) => (
        <div className="flex flex-col gap-3 rounded-lg border p-3" data-testid="step" key={field.formKey}>
          <div className="flex items-start gap-2">
            <div className="min-w-0 flex-1">
              <PickedList
                control={form.control}
                label={`Step ${at + 1} calls`}
                name={`steps.${at}.targets`}
                {...targets}
              />
            </div>
            {fields.length > 1 && (
              <IconButton className="mt-7" icon="trash" label={`Remove step ${at + 1}`} onClick={() => remove(at)} />
            )}
          </div>
          <div className="grid gap-3 sm:grid-cols-2">
            <TextField
              hint={at === 0 ? "After the incident opens." : "After the step before it."}
              inputMode="decimal"
              label="Minutes to wait"
              required
              {...form.field(`steps.${at}.delayMinutes`)}
            />
            <TextField
              hint="Empty for always. Such as mon-fri 09:00-17:00."
              label="Hours"
              maxLength={100}
              {...form.field(`steps.${at}.hours`)}
            />
          </div>
        </div>
      ))}
      <Button
        className="self-start"
        data-testid="add-step"
        disabled={fields.length >= 20}
        icon="plus"
        onClick={() => append(newStep(fields.length === 0))}
      >
        Add a step
      </Button>
    </fieldset>
  );
}
