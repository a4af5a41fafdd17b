import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { deleteRole, rolesQuery, type Role } from "../api/people";
import { useWrite } from "../api/write";
import { Badge } from "../ui/Badge";
import { Button } from "../ui/Button";
import { ConfirmDialog } from "../ui/Dialog";
import { IconButton } from "../ui/IconButton";
import { ErrorNotice, SkeletonRows } from "../ui/Notice";
import { Page } from "../ui/Page";
import { Row, Rows } from "../ui/Rows";
import { useToast } from "../ui/Toast";
import { RoleForm } from "./RoleForm";

type Open = { kind: "create" } | { kind: "edit" | "delete"; role: Role } | null;

export function RolesPage() {
  const { data: roles, error, refetch } = useQuery(rolesQuery);
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  return (
    <Page
      actions={
        <Button data-testid="new-role" icon="plus" onClick={() => setOpen({ kind: "create" })} variant="primary">
          New role
        </Button>
      }
      description="Sets of access rules that users and applications hold."
      testId="roles-page"
      title="Roles"
    >
      <ErrorNotice error={error} onRetry={() => void refetch()} />
      {!roles && !error && <SkeletonRows />}
      {roles && (
        <Rows label="Roles">
          {roles.map((role) => (
            <Row
              actions={
                <>
                  {!role.rules.includes("*") && (
                    <IconButton
                      icon="pencil"
                      label={`Edit ${role.name}`}
                      onClick={() => setOpen({ kind: "edit", role })}
                    />
                  )}
                  {!role.builtin && (
                    <IconButton
                      icon="trash"
                      label={`Delete ${role.name}`}
                      onClick={() => setOpen({ kind: "delete", role })}
                    />
                  )}
                </>
              }
              badges={
                <>
                  {role.builtin && <Badge>built in</Badge>}
                  {role.rules.includes("*") && <Badge tone="warning">everything</Badge>}
                </>
              }
              detail={<span className="font-mono text-xs">{role.rules.join("  ") || "no rules"}</span>}
              key={role.id}
              title={role.name}
            />
          ))}
        </Rows>
      )}
      {open?.kind === "create" && <RoleForm onClose={close} />}
      {open?.kind === "edit" && <RoleForm onClose={close} role={open.role} />}
      {open?.kind === "delete" && <DeleteRole onClose={close} role={open.role} />}
    </Page>
  );
}

function DeleteRole({ role, onClose }: { role: Role; onClose: () => void }) {
  const toast = useToast();
  const remove = useWrite({
    send: deleteRole,
    invalidates: [rolesQuery.queryKey],
    onSuccess: () => {
      toast(`${role.name} was deleted`);
      onClose();
    },
  });
  return (
    <ConfirmDialog
      busy={remove.isPending}
      confirmLabel="Delete role"
      error={remove.error}
      onClose={onClose}
      onConfirm={() => remove.mutate(role)}
      title={`Delete ${role.name}?`}
    >
      Everybody who holds this role loses what it allows. This cannot be undone.
    </ConfirmDialog>
  );
}
