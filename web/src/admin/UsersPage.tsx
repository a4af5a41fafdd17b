import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { deleteUser, usersQuery, type User } from "../api/people";
import { meQuery } from "../api/session";
import { useWrite } from "../api/write";
import { Badge } from "../ui/Badge";
import { Button } from "../ui/Button";
import { ConfirmDialog } from "../ui/Dialog";
import { IconButton } from "../ui/IconButton";
import { ErrorNotice, SkeletonRows } from "../ui/Notice";
import { Page } from "../ui/Page";
import { Row, Rows } from "../ui/Rows";
import { useToast } from "../ui/Toast";
import { UserForm } from "./UserForm";

type Open = { kind: "create" } | { kind: "edit" | "delete"; user: User } | null;

export function UsersPage() {
  const { data: users, error, refetch } = useQuery(usersQuery);
  const { data: me } = useQuery(meQuery);
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  return (
    <Page
      actions={
        <Button data-testid="new-user" icon="plus" onClick={() => setOpen({ kind: "create" })} variant="primary">
          New user
        </Button>
      }
      description="People who can sign in."
      testId="users-page"
      title="Users"
    >
      <ErrorNotice error={error} onRetry={() => void refetch()} />
      {!users && !error && <SkeletonRows />}
      {users && (
        <Rows label="Users">
          {users.map((user) => (
            <Row
              actions={
                <>
                  <IconButton
                    icon="pencil"
                    label={`Edit ${user.name}`}
                    onClick={() => setOpen({ kind: "edit", user })}
                  />
                  {user.id !== me?.id && (
                    <IconButton
                      icon="trash"
                      label={`Delete ${user.name}`}
                      onClick={() => setOpen({ kind: "delete", user })}
                    />
                  )}
                </>
              }
              badges={
                <>
                  {user.id === me?.id && <Badge tone="primary">you</Badge>}
                  {user.disabled && <Badge tone="warning">disabled</Badge>}
                  {(user.roles ?? []).map((role) => (
                    <Badge key={role.id}>{role.name}</Badge>
                  ))}
                </>
              }
              detail={user.email}
              key={user.id}
              title={user.name}
            />
          ))}
        </Rows>
      )}
      {open?.kind === "create" && <UserForm onClose={close} />}
      {open?.kind === "edit" && <UserForm onClose={close} user={open.user} />}
      {open?.kind === "delete" && <DeleteUser onClose={close} user={open.user} />}
    </Page>
  );
}

function DeleteUser({ user, onClose }: { user: User; onClose: () => void }) {
  const toast = useToast();
  const remove = useWrite({
    send: deleteUser,
    invalidates: [usersQuery.queryKey],
    onSuccess: () => {
      toast(`${user.name} was deleted`);
      onClose();
    },
  });
  return (
    <ConfirmDialog
      busy={remove.isPending}
      confirmLabel="Delete user"
      error={remove.error}
      onClose={onClose}
      onConfirm={() => remove.mutate(user)}
      title={`Delete ${user.name}?`}
    >
      Their sessions end at once. To keep the account and only lock it, edit it and tick “Disabled” instead.
    </ConfirmDialog>
  );
}
