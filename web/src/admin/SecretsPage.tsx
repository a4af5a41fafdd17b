import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import {
  deleteSecret,
  secretHistoryQuery,
  secretsQuery,
  type Secret,
  type SecretHistory,
  type SecretUse,
} from "../api/secrets";
import { holds, meQuery } from "../api/session";
import { useWrite } from "../api/write";
import { administrationRules } from "../shell/administration";
import { Badge } from "../ui/Badge";
import { Button } from "../ui/Button";
import { ConfirmDialog, Dialog } from "../ui/Dialog";
import { IconButton } from "../ui/IconButton";
import { EmptyState, ErrorNotice, SkeletonRows } from "../ui/Notice";
import { Page } from "../ui/Page";
import { Row, Rows } from "../ui/Rows";
import { fullTime, timeAgo, useNow } from "../ui/time";
import { useToast } from "../ui/Toast";
import { SecretForm } from "./SecretForm";

type Open = { kind: "create" } | { kind: "edit" | "history" | "delete"; secret: Secret } | null;

/** Named values that scripts and automations get, and that nobody sees. */
export function SecretsPage() {
  const { data: secrets, error, refetch } = useQuery(secretsQuery);
  const { data: me } = useQuery(meQuery);
  const manages = holds(me, administrationRules.secrets);
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  const create = useRef<HTMLButtonElement>(null);
  // The button that opened the dialog goes away with the secret, so that the closed dialog has nothing to give the focus to.
  const deleted = useRef(false);
  useEffect(() => {
    if (open || !deleted.current) return;
    deleted.current = false;
    create.current?.focus();
  }, [open]);
  return (
    <Page
      actions={
        manages && (
          <Button
            data-testid="new-secret"
            icon="plus"
            onClick={() => setOpen({ kind: "create" })}
            ref={create}
            variant="primary"
          >
            New secret
          </Button>
        )
      }
      description="Tokens and passwords for scripts and automations. A value goes in and is never shown again."
      testId="secrets-page"
      title="Secrets"
    >
      <ErrorNotice error={error} onRetry={() => void refetch()} />
      {!secrets && !error && <SkeletonRows />}
      {secrets?.length === 0 && (
        <EmptyState title="No secret yet">
          A script refers to a secret by its name and gets the value only when it really runs, never in a test.
        </EmptyState>
      )}
      {secrets && secrets.length > 0 && (
        <Rows label="Secrets">
          {secrets.map((secret) => (
            <SecretRow key={secret.id} manages={manages} onOpen={(kind) => setOpen({ kind, secret })} secret={secret} />
          ))}
        </Rows>
      )}
      {open?.kind === "create" && <SecretForm onClose={close} />}
      {open?.kind === "edit" && <SecretForm onClose={close} secret={open.secret} />}
      {open?.kind === "history" && <History onClose={close} secret={open.secret} />}
      {open?.kind === "delete" && (
        <DeleteSecret
          onClose={close}
          onDeleted={() => {
            deleted.current = true;
            close();
          }}
          secret={open.secret}
        />
      )}
    </Page>
  );
}

interface SecretRowProps {
  secret: Secret;
  manages: boolean;
  onOpen: (kind: "edit" | "history" | "delete") => void;
}

function SecretRow({ secret, manages, onOpen }: SecretRowProps) {
  const now = useNow(60_000);
  return (
    <Row
      actions={
        <>
          <IconButton icon="clock" label={`Record of ${secret.name}`} onClick={() => onOpen("history")} />
          {manages && (
            <>
              <IconButton icon="pencil" label={`Replace or describe ${secret.name}`} onClick={() => onOpen("edit")} />
              <IconButton icon="trash" label={`Delete ${secret.name}`} onClick={() => onOpen("delete")} />
            </>
          )}
        </>
      }
      badges={!secret.lastUsedAt && <Badge>never used</Badge>}
      detail={
        <>
          {secret.description && <p className="whitespace-pre-line">{secret.description}</p>}
          <p className="text-xs">
            <span title={fullTime(secret.valueSetAt)}>Value set {timeAgo(secret.valueSetAt, now)}</span>
            {secret.lastUsedAt && (
              <span title={fullTime(secret.lastUsedAt)}> · used {timeAgo(secret.lastUsedAt, now)}</span>
            )}
          </p>
        </>
      }
      title={<code className="font-mono text-sm">{secret.name}</code>}
    />
  );
}

function History({ secret, onClose }: { secret: Secret; onClose: () => void }) {
  const { data: history, error, refetch } = useQuery(secretHistoryQuery(secret.name));
  return (
    <Dialog onClose={onClose} testId="secret-history" title={`Record of ${secret.name}`} wide>
      <ErrorNotice error={error} onRetry={() => void refetch()} />
      {!history && !error && <SkeletonRows rows={3} />}
      {history && (
        <div className="flex flex-col gap-4 text-sm">
          <Places history={history} />
          <Uses uses={history.uses} />
        </div>
      )}
    </Dialog>
  );
}

function Places({ history }: { history: SecretHistory }) {
  if (history.places.length === 0) return <p className="text-muted-foreground">No stored reference to it is known.</p>;
  return (
    <div>
      <p className="font-medium">Used by</p>
      <ul className="list-disc pl-5">
        {history.places.map((place) => (
          <li key={`${place.kind} ${place.id}`}>
            {place.name} <span className="text-muted-foreground">({place.kind})</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

const verbs: Record<SecretUse["action"], string> = {
  create: "created it",
  replace: "replaced the value",
  describe: "changed the description",
  delete: "deleted it",
  use: "used it",
};

function Uses({ uses }: { uses: SecretUse[] }) {
  return (
    <ol aria-label="Record" className="divide-y rounded-lg border">
      {uses.map((use) => (
        <li className="px-3 py-2" key={`${use.at} ${use.action} ${use.purpose}`}>
          <p className="wrap-anywhere">
            <span className="font-medium">{use.actorName ?? `A ${use.actorKind} that is gone`}</span>{" "}
            {verbs[use.action]}
            {use.purpose && <> for {use.purpose}</>}
          </p>
          <p className="text-xs text-muted-foreground">{fullTime(use.at)}</p>
        </li>
      ))}
    </ol>
  );
}

interface DeleteSecretProps {
  secret: Secret;
  onClose: () => void;
  onDeleted: () => void;
}

function DeleteSecret({ secret, onClose, onDeleted }: DeleteSecretProps) {
  const toast = useToast();
  const { data: history, error } = useQuery(secretHistoryQuery(secret.name));
  const lastUse = history?.uses.find((use) => use.action === "use");
  const remove = useWrite({
    send: deleteSecret,
    invalidates: [secretsQuery.queryKey],
    onSuccess: () => {
      toast(`${secret.name} was deleted`);
      onDeleted();
    },
  });
  return (
    <ConfirmDialog
      busy={remove.isPending}
      confirmLabel="Delete secret"
      error={remove.error}
      onClose={onClose}
      onConfirm={() => remove.mutate(secret)}
      title={`Delete ${secret.name}?`}
    >
      <div className="flex flex-col gap-3">
        <p>The value is erased. Every run that declares this secret fails from now on. Its record stays.</p>
        <ErrorNotice error={error} />
        {history && <Places history={history} />}
        {history && (
          <p>
            {lastUse
              ? `Last used by ${lastUse.actorName ?? "an account that is gone"} for ${lastUse.purpose}, ${fullTime(lastUse.at)}.`
              : secret.lastUsedAt
                ? `Last used ${fullTime(secret.lastUsedAt)}.`
                : "It was never used."}
          </p>
        )}
      </div>
    </ConfirmDialog>
  );
}
