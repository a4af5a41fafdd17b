import { useQuery } from "@tanstack/react-query";
import { z } from "zod";
import { environmentsQuery } from "../api/catalog";
import { healthKey, type Assignment, type Check, type Thresholds } from "../api/health";
import { assignCheck } from "../api/healthcalls";
import { ChoicesField } from "../ui/ChoicesField";
import { Checkbox, SelectField } from "../ui/Field";
import { FormPage } from "../ui/FormPage";
import { useRecordForm } from "../ui/recordform";
import { SystemPicker } from "./SystemPicker";
import { ThresholdFields } from "./ThresholdFields";

const schema = z
  .object({
    systemId: z.string().min(1, "Choose a system."),
    enabled: z.boolean(),
    where: z.enum(["all", "some", "none"]),
    environmentIds: z.array(z.string()),
    thresholds: z.custom<Thresholds>(),
  })
  .refine(({ where, environmentIds }) => where !== "some" || environmentIds.length > 0, {
    path: ["environmentIds"],
    message: "Choose at least one environment.",
  });

type Values = z.infer<typeof schema>;

const valuesOf = (assignment: Assignment | undefined): Values => ({
  systemId: assignment?.systemId ?? "",
  enabled: assignment?.enabled ?? true,
  where: !assignment?.environmentIds ? "all" : assignment.environmentIds.length > 0 ? "some" : "none",
  environmentIds: assignment?.environmentIds ?? [],
  thresholds: assignment?.thresholds ?? {},
});

interface AssignFormProps {
  check: Check;
  /** The assignment to change; without it the form makes one. */
  assignment?: Assignment;
  onClose: () => void;
}

/** For which system a check runs, in which environments, and when that makes it unhealthy. */
export function AssignForm({ check, assignment, onClose }: AssignFormProps) {
  const { data: environments } = useQuery(environmentsQuery);
  const form = useRecordForm({
    schema,
    tool: "healthcheck.update",
    item: undefined,
    values: () => valuesOf(assignment),
    send: ({ systemId, where, environmentIds, ...rest }: Values, _, key) =>
      assignCheck(
        check,
        systemId,
        { ...rest, environmentIds: where === "all" ? null : where === "none" ? [] : environmentIds },
        key,
      ),
    invalidates: [healthKey],
    onSaved: onClose,
  });
  const where = form.watch("where");
  return (
    <FormPage
      form={form}
      onClose={onClose}
      submitLabel={assignment ? "Save" : "Assign"}
      title={assignment ? `${check.name} for ${assignment.systemName}` : `Assign ${check.name}`}
    >
      {!assignment && (
        <SystemPicker
          issue={form.field("systemId").issue}
          label="System"
          name="systemId"
          onChange={(id) => form.setValue("systemId", id, { shouldDirty: true, shouldValidate: id !== "" })}
          required
          value={form.watch("systemId")}
        />
      )}
      <SelectField label="Where it runs" {...form.field("where")}>
        <option value="all">In all environments of the system</option>
        <option value="some">In some environments</option>
        <option value="none">Once, without an environment</option>
      </SelectField>
      {where === "some" && (
        <ChoicesField
          control={form.control}
          legend="Environments"
          name="environmentIds"
          options={environments?.map(({ id, name }) => ({ id, label: name }))}
        />
      )}
      <ThresholdFields
        issue={(member) => form.field(`thresholds.${member}` as "thresholds").issue}
        onChange={(thresholds) => form.setValue("thresholds", thresholds, { shouldDirty: true })}
        value={form.watch("thresholds")}
      />
      <Checkbox hint="If off, it does not run; results are kept." label="Enabled" {...form.register("enabled")} />
    </FormPage>
  );
}
