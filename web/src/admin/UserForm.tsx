import { useQuery } from "@tanstack/react-query";
import { userSchema, userValues } from "../api/forms/people";
import { createUser, rolesQuery, updateUser, usersKey, type User } from "../api/people";
import { meQuery } from "../api/session";
import { ChoicesField } from "../ui/ChoicesField";
import { Checkbox, TextField } from "../ui/Field";
import { FormPage } from "../ui/FormPage";
import { useRecordForm } from "../ui/recordform";
import { useToast } from "../ui/Toast";

interface UserFormProps {
  user?: User;
  onClose: () => void;
  /** Called with a new user without a password. */
  onInvite?: (user: User) => void;
}

export function UserForm({ user, onClose, onInvite }: UserFormProps) {
  const toast = useToast();
  const { data: roles } = useQuery(rolesQuery);
  const form = useRecordForm({
    tool: user ? "auth.updateUser" : "auth.createUser",
    schema: userSchema(user),
    item: user,
    values: userValues,
    send: (fields, began, key) => (began ? updateUser(began, fields, key) : createUser(fields, key)),
    invalidates: [usersKey, meQuery.queryKey],
    onSaved: (saved, { name }) => {
      toast(`${name} was saved`);
      if (!user && saved.status === "invited" && onInvite) onInvite(saved);
      else onClose();
    },
  });
  return (
    <FormPage
      form={form}
      onClose={onClose}
      submitLabel={user ? "Save" : "Create user"}
      title={user ? `Edit ${user.name}` : "New user"}
    >
      <TextField label="Name" required {...form.field("name")} />
      <TextField label="E-mail" required type="email" {...form.field("email")} />
      <TextField
        autoComplete="new-password"
        hint={
          user
            ? "At least 8 characters; leave empty to keep the current one."
            : "At least 8 characters. Leave empty to invite them by link."
        }
        label={user ? "New password" : "Password"}
        type="password"
        {...form.field("password")}
      />
      <Checkbox
        hint="For a password that you chose or passed on."
        label="Must choose their own password at next sign-in"
        {...form.register("mustChangePassword")}
      />
      <ChoicesField
        control={form.control}
        empty="There are no roles yet."
        legend="Roles"
        name="roleIds"
        options={roles?.map((role) => ({ id: role.id, label: role.name }))}
      />
      {user && (
        <Checkbox hint="Cannot sign in; running sessions end." label="Disabled" {...form.register("disabled")} />
      )}
    </FormPage>
  );
}
