import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { accessRulesQuery, createRole, rolesQuery, updateRole, type Role, type RoleFields } from "../api/people";
import { useWrite } from "../api/write";
import { Choices, TextField } from "../ui/Field";
import { FormDialog } from "../ui/FormDialog";
import { useToast } from "../ui/Toast";

export function RoleForm({ role, onClose }: { role?: Role; onClose: () => void }) {
  const toast = useToast();
  const { data: known } = useQuery(accessRulesQuery);
  const [name, setName] = useState(role?.name ?? "");
  const [rules, setRules] = useState(role?.rules ?? []);
  const save = useWrite({
    send: (fields: RoleFields, key) => {
      if (!role) return createRole(fields, key);
      return updateRole(role, role.builtin ? { rules: fields.rules } : fields, key);
    },
    invalidates: [rolesQuery.queryKey],
    onSuccess: (_, fields) => {
      toast(`${fields.name} was saved`);
      onClose();
    },
  });
  return (
    <FormDialog
      busy={save.isPending}
      error={save.error}
      onClose={onClose}
      onSubmit={() => save.mutate({ name: name.trim(), rules })}
      submitLabel={role ? "Save" : "Create role"}
      title={role ? `Edit ${role.name}` : "New role"}
      wide
    >
      <TextField
        disabled={role?.builtin}
        label="Name"
        name="name"
        onChange={(event) => setName(event.currentTarget.value)}
        required
        value={name}
      />
      <Choices
        legend="Access rules"
        onChange={setRules}
        options={(known ?? []).map((rule) => ({ id: rule.id, label: rule.id, hint: rule.description }))}
        selected={rules}
      />
    </FormDialog>
  );
}
