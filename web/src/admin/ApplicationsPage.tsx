import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { serverNow } from "../api/clock";
import { applicationSchema, replacementSchema } from "../api/forms/people";
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
import { ChoicesField } from "../ui/ChoicesField";
import { ConfirmDialog } from "../ui/Dialog";
import { TextField } from "../ui/Field";
import { FormPage } from "../ui/FormPage";
import { IconButton } from "../ui/IconButton";
import { ListPage, wholeList } from "../ui/ListPage";
import { useRecordForm } from "../ui/recordform";
import { Row } from "../ui/Rows";
import { fullTime } from "../ui/time";
import { TokenDialog } from "../ui/TokenDialog";

interface Token {
  name: string;
  token: string;
}

export function ApplicationsPage() {
  const [replacing, setReplacing] = useState<Application | null>(null);
  const [token, setToken] = useState<Token | null>(null);
  return (
    <>
      <ListPage
        create={(close) => (
          <ApplicationForm
            onClose={close}
            onCreated={(created) => {
              close();
              setToken(created);
            }}
          />
        )}
        description="Programs that call the API with their own token."
        empty={{ title: "No applications yet", hint: "Create one to get a token for a script or another service." }}
        history={({ id }) => ({ type: "auth.application", id })}
        itemKey={({ id }) => id}
        list={wholeList(useQuery(applicationsQuery))}
        name={({ name }) => name}
        noun="application"
        remove={{
          send: deleteApplication,
          invalidates: [applicationsQuery.queryKey],
          warning: "Its token stops working at once. This cannot be undone.",
        }}
        row={(application, actions) => (
          <Row
            actions={
              <>
                {isExpired(application) || isExpiring(application) ? (
                  <Button
                    aria-label={`Renew the token of ${application.name}`}
                    data-testid="renew-token"
                    icon="repeat"
                    onClick={() => setReplacing(application)}
                  >
                    Renew
                  </Button>
                ) : (
                  <IconButton
                    data-testid="replace-token"
                    icon="repeat"
                    label={`Replace the token of ${application.name}`}
                    onClick={() => setReplacing(application)}
                  />
                )}
                {actions}
              </>
            }
            badges={
              <>
                {isExpired(application) && <Badge tone="danger">expired</Badge>}
                {isExpiring(application) && <Badge tone="warning">expires soon</Badge>}
                {application.disabled && <Badge tone="warning">disabled</Badge>}
                {(application.roles ?? []).map((role) => (
                  <Badge key={role.id}>{role.name}</Badge>
                ))}
              </>
            }
            detail={tokenWords(application)}
            title={application.name}
          />
        )}
        title="Applications"
      />
      {replacing && (
        <ReplaceToken
          application={replacing}
          onClose={() => setReplacing(null)}
          onReplaced={(replaced) => {
            setToken({ name: replacing.name, token: replaced });
            setReplacing(null);
          }}
        />
      )}
      {token && <TokenDialog onClose={() => setToken(null)} title={`Token of ${token.name}`} token={token.token} />}
    </>
  );
}

const isExpired = ({ expiresAt }: Application) => expiresAt !== undefined && Date.parse(expiresAt) <= serverNow();

/** How long before its end it is said that a token has to be renewed. */
const noticeMilliseconds = 7 * 24 * 3_600_000;

const isExpiring = (application: Application) =>
  application.expiresAt !== undefined &&
  !isExpired(application) &&
  Date.parse(application.expiresAt) <= serverNow() + noticeMilliseconds;

/** Since when an application is there, until when its token works, and when it was last used. */
function tokenWords(application: Application): string {
  const { createdAt, expiresAt, lastUsedAt } = application;
  return [
    `Created ${fullTime(createdAt)}`,
    expiresAt
      ? `token ${isExpired(application) ? "expired" : "expires"} ${fullTime(expiresAt)}`
      : "token does not expire",
    lastUsedAt ? `last used ${fullTime(lastUsedAt)}` : "never used",
  ].join(" · ");
}

interface ApplicationFormProps {
  onClose: () => void;
  onCreated: (token: Token) => void;
}

function ApplicationForm({ onClose, onCreated }: ApplicationFormProps) {
  const { data: roles } = useQuery(rolesQuery);
  const form = useRecordForm({
    schema: applicationSchema,
    values: () => ({ name: "", roleIds: [] as string[], expiresAt: "" }),
    send: (fields) => createApplication(fields),
    invalidates: [applicationsQuery.queryKey],
    onSaved: ({ application, token }) => onCreated({ name: application.name, token }),
  });
  return (
    <FormPage form={form} onClose={onClose} submitLabel="Create application" title="New application">
      <TextField label="Name" required {...form.field("name")} />
      <TextField
        hint="Last day the token works. Leave empty for no expiry."
        label="Expires"
        type="date"
        {...form.field("expiresAt")}
      />
      <ChoicesField
        control={form.control}
        empty="There are no roles yet."
        legend="Roles"
        name="roleIds"
        options={roles?.map((role) => ({ id: role.id, label: role.name }))}
      />
    </FormPage>
  );
}

interface ReplaceTokenProps {
  application: Application;
  onReplaced: (token: string) => void;
  onClose: () => void;
}

function ReplaceToken({ application, onReplaced, onClose }: ReplaceTokenProps) {
  const [day, setDay] = useState("");
  const replacement = replacementSchema.safeParse({ expiresAt: day });
  const replace = useWrite({
    send: (body: { expiresAt?: string }) => replaceToken(application, body),
    invalidates: [applicationsQuery.queryKey],
    onSuccess: ({ token }) => onReplaced(token),
  });
  return (
    <ConfirmDialog
      busy={replace.isPending}
      confirmLabel="Replace token"
      error={replace.error}
      onClose={onClose}
      disabled={!replacement.success}
      onConfirm={() => replacement.success && replace.mutate(replacement.data)}
      title={`Replace the token of ${application.name}?`}
    >
      <p className="mb-3">The old token stops working at once. Programs that use it need the new one.</p>
      <TextField
        hint="Last day the new token works. Leave empty for no expiry."
        issue={replacement.success ? undefined : replacement.error.issues[0]?.message}
        label="Expires"
        onChange={(event) => setDay(event.currentTarget.value)}
        type="date"
        value={day}
      />
    </ConfirmDialog>
  );
}
