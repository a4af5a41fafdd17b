import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { createUser, rolesQuery, updateUser, usersQuery, type User, type UserFields } from "../api/people";
import { meQuery } from "../api/session";
import { useWrite } from "../api/write";
import { Checkbox, Choices, TextField } from "../ui/Field";
import { FormDialog } from "../ui/FormDialog";
import { useToast } from "../ui/Toast";

export function UserForm({ user, onClose }: { user?: User; onClose: () => void }) {
  const toast = useToast();
  const { data: roles } = useQuery(rolesQuery);
  const [name, setName] = useState(user?.name ?? "");
  const [email, setEmail] = useState(user?.email ?? "");
  const [password, setPassword] = useState("");
  const [disabled, setDisabled] = useState(user?.disabled ?? false);
  const [roleIds, setRoleIds] = useState((user?.roles ?? []).map((role) => role.id));

  const save = useWrite({
    send: (fields: UserFields, key) => (user ? updateUser(user, fields, key) : createUser(fields, key)),
    invalidates: [usersQuery.queryKey, meQuery.queryKey],
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
      onSubmit={() =>
        save.mutate({
          name: name.trim(),
          email: email.trim(),
          roleIds,
          password: password || undefined,
          disabled: user ? disabled : undefined,
        })
      }
      submitLabel={user ? "Save" : "Create user"}
      title={user ? `Edit ${user.name}` : "New user"}
    >
      <TextField
        label="Name"
        name="name"
        onChange={(event) => setName(event.currentTarget.value)}
        required
        value={name}
      />
      <TextField
        label="E-mail"
        name="email"
        onChange={(event) => setEmail(event.currentTarget.value)}
        required
        type="email"
        value={email}
      />
      <TextField
        autoComplete="new-password"
        hint={user ? "At least 8 characters; leave empty to keep the current one." : "At least 8 characters."}
        label={user ? "New password" : "Password"}
        minLength={8}
        name="password"
        onChange={(event) => setPassword(event.currentTarget.value)}
        required={!user}
        type="password"
        value={password}
      />
      <Choices
        empty="There are no roles yet."
        legend="Roles"
        onChange={setRoleIds}
        options={(roles ?? []).map((role) => ({ id: role.id, label: role.name }))}
        selected={roleIds}
      />
      {user && (
        <Checkbox
          checked={disabled}
          hint="Cannot sign in; running sessions end."
          label="Disabled"
          onChange={(event) => setDisabled(event.currentTarget.checked)}
        />
      )}
    </FormDialog>
  );
}
