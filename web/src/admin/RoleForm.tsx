import { useQuery } from "@tanstack/react-query";
import { roleSchema, roleValues } from "../api/forms/people";
import { accessRulesQuery, createRole, rolesQuery, updateRole, type Role } from "../api/people";
import { TextField } from "../ui/Field";
import { FormPage } from "../ui/FormPage";
import { useRecordForm } from "../ui/recordform";
import { useToast } from "../ui/Toast";
import { RulesField } from "./RulesField";

export function RoleForm({ role, onClose }: { role?: Role; onClose: () => void }) {
  const toast = useToast();
  const { data: known } = useQuery(accessRulesQuery);
  const form = useRecordForm({
    tool: role && "auth.updateRole",
    schema: roleSchema,
    item: role,
    values: roleValues,
    send: (fields, began, key) => {
      if (!began) return createRole(fields, key);
      return updateRole(began, began.builtin ? { rules: fields.rules } : fields, key);
    },
    invalidates: [rolesQuery.queryKey],
    onSaved: (_, { name }) => {
      toast(`${name} was saved`);
      onClose();
    },
  });
  return (
    <FormPage
      form={form}
      onClose={onClose}
      submitLabel={role ? "Save" : "Create role"}
      title={role ? `Edit ${role.name}` : "New role"}
      wide
    >
      <TextField label="Name" readOnly={role?.builtin} required {...form.field("name")} />
      <RulesField control={form.control} rules={known} />
    </FormPage>
  );
}
