import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import {
  applicationsQuery,
  createApplication,
  deleteApplication,
  replaceToken,
  rolesQuery,
  type Application,
} from "../api/people";
import { useWrite } from "../api/write";
import { Badge } from "../ui/Badge";
import { Button } from "../ui/Button";
import { ConfirmDialog, Dialog } from "../ui/Dialog";
import { Choices, TextField } from "../ui/Field";
import { FormDialog } from "../ui/FormDialog";
import { IconButton } from "../ui/IconButton";
import { EmptyState, ErrorNotice, SkeletonRows } from "../ui/Notice";
import { Page } from "../ui/Page";
import { Row, Rows } from "../ui/Rows";
import { fullTime } from "../ui/time";
import { useToast } from "../ui/Toast";

type Open =
  | { kind: "create" }
  | { kind: "token"; name: string; token: string }
  | { kind: "delete" | "replace"; application: Application }
  | null;

export function ApplicationsPage() {
  const { data: applications, error, refetch } = useQuery(applicationsQuery);
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  return (
    <Page
      actions={
        <Button data-testid="new-application" icon="plus" onClick={() => setOpen({ kind: "create" })} variant="primary">
          New application
        </Button>
      }
      description="Programs that call the API with a token of their own."
      testId="applications-page"
      title="Applications"
    >
      <ErrorNotice error={error} onRetry={() => void refetch()} />
      {!applications && !error && <SkeletonRows />}
      {applications?.length === 0 && (
        <EmptyState title="No applications yet">Create one to get a token for a script or another service.</EmptyState>
      )}
      {applications && applications.length > 0 && (
        <Rows label="Applications">
          {applications.map((application) => (
            <Row
              actions={
                <>
                  <IconButton
                    data-testid="replace-token"
                    icon="repeat"
                    label={`Replace the token of ${application.name}`}
                    onClick={() => setOpen({ kind: "replace", application })}
                  />
                  <IconButton
                    icon="trash"
                    label={`Delete ${application.name}`}
                    onClick={() => setOpen({ kind: "delete", application })}
                  />
                </>
              }
              badges={(application.roles ?? []).map((role) => (
                <Badge key={role.id}>{role.name}</Badge>
              ))}
              detail={`Created ${fullTime(application.createdAt)}${application.lastUsedAt ? `, last used ${fullTime(application.lastUsedAt)}` : ""}`}
              key={application.id}
              title={application.name}
            />
          ))}
        </Rows>
      )}
      {open?.kind === "create" && (
        <ApplicationForm onClose={close} onCreated={(name, token) => setOpen({ kind: "token", name, token })} />
      )}
      {open?.kind === "token" && <TokenDialog name={open.name} onClose={close} token={open.token} />}
      {open?.kind === "replace" && (
        <ReplaceToken
          application={open.application}
          onClose={close}
          onReplaced={(token) => setOpen({ kind: "token", name: open.application.name, token })}
        />
      )}
      {open?.kind === "delete" && <DeleteApplication application={open.application} onClose={close} />}
    </Page>
  );
}

interface ApplicationFormProps {
  onClose: () => void;
  onCreated: (name: string, token: string) => void;
}

function ApplicationForm({ onClose, onCreated }: ApplicationFormProps) {
  const { data: roles } = useQuery(rolesQuery);
  const [name, setName] = useState("");
  const [roleIds, setRoleIds] = useState<string[]>([]);
  const create = useWrite({
    send: createApplication,
    invalidates: [applicationsQuery.queryKey],
    onSuccess: ({ application, token }) => onCreated(application.name, token),
  });
  return (
    <FormDialog
      busy={create.isPending}
      error={create.error}
      onClose={onClose}
      onSubmit={() => create.mutate({ name: name.trim(), roleIds })}
      submitLabel="Create application"
      title="New application"
    >
      <TextField
        label="Name"
        name="name"
        onChange={(event) => setName(event.currentTarget.value)}
        required
        value={name}
      />
      <Choices
        empty="There are no roles yet."
        legend="Roles"
        onChange={setRoleIds}
        options={(roles ?? []).map((role) => ({ id: role.id, label: role.name }))}
        selected={roleIds}
      />
    </FormDialog>
  );
}

function TokenDialog({ name, token, onClose }: { name: string; token: string; onClose: () => void }) {
  const [copied, setCopied] = useState(false);
  return (
    <Dialog onClose={onClose} testId="token-dialog" title={`Token of ${name}`}>
      <p className="text-sm text-muted-foreground">Copy it now. It is shown this once and cannot be read again.</p>
      <code
        className="mt-3 block rounded-lg border bg-muted p-3 font-mono text-xs break-all select-all"
        data-testid="application-token"
      >
        {token}
      </code>
      <div className="mt-4 flex justify-end gap-2">
        <Button
          icon={copied ? "check" : "copy"}
          onClick={() => void navigator.clipboard?.writeText(token).then(() => setCopied(true))}
        >
          {copied ? "Copied" : "Copy"}
        </Button>
        <Button onClick={onClose} variant="primary">
          Done
        </Button>
      </div>
    </Dialog>
  );
}

interface ReplaceTokenProps {
  application: Application;
  onReplaced: (token: string) => void;
  onClose: () => void;
}

function ReplaceToken({ application, onReplaced, onClose }: ReplaceTokenProps) {
  const replace = useWrite({
    send: replaceToken,
    invalidates: [applicationsQuery.queryKey],
    onSuccess: ({ token }) => onReplaced(token),
  });
  return (
    <ConfirmDialog
      busy={replace.isPending}
      confirmLabel="Replace token"
      error={replace.error}
      onClose={onClose}
      onConfirm={() => replace.mutate(application)}
      title={`Replace the token of ${application.name}?`}
    >
      The old token stops working at once: whatever uses it has to get the new one.
    </ConfirmDialog>
  );
}

function DeleteApplication({ application, onClose }: { application: Application; onClose: () => void }) {
  const toast = useToast();
  const remove = useWrite({
    send: deleteApplication,
    invalidates: [applicationsQuery.queryKey],
    onSuccess: () => {
      toast(`${application.name} was deleted`);
      onClose();
    },
  });
  return (
    <ConfirmDialog
      busy={remove.isPending}
      confirmLabel="Delete application"
      error={remove.error}
      onClose={onClose}
      onConfirm={() => remove.mutate(application)}
      title={`Delete ${application.name}?`}
    >
      Its token stops working at once. This cannot be undone.
    </ConfirmDialog>
  );
}
