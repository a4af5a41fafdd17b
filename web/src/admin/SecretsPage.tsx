import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import {
  deleteSecret,
  secretHistoryQuery,
  secretsQuery,
  type Secret,
  type SecretHistory,
  type SecretUse,
} from "../api/secrets";
import { holds, meQuery } from "../api/session";
import { administrationRules } from "../shell/administration";
import { Badge } from "../ui/Badge";
import { Dialog } from "../ui/Dialog";
import { IconButton } from "../ui/IconButton";
import { ListPage, wholeList } from "../ui/ListPage";
import { ErrorNotice, SkeletonRows } from "../ui/Notice";
import { Row } from "../ui/Rows";
import { fullTime, timeAgo, useNow } from "../ui/time";
import { SecretForm } from "./SecretForm";

/** Named values for scripts and automations. The page never shows a value. */
export function SecretsPage() {
  const { data: me } = useQuery(meQuery);
  const manages = holds(me, administrationRules.secrets);
  const now = useNow(60_000);
  const [history, setHistory] = useState<Secret | null>(null);
  return (
    <>
      <ListPage
        create={manages ? (close) => <SecretForm onClose={close} /> : undefined}
        description="Tokens and passwords for scripts and automations. Values are never shown."
        edit={(secret, close) => <SecretForm onClose={close} secret={secret} />}
        editable={() => manages}
        editLabel={({ name }) => `Replace or describe ${name}`}
        empty={{
          title: "No secret yet",
          hint: "Scripts refer to a secret by name. Tests never get its value.",
        }}
        history={({ name }) => ({ type: "vault.secret", id: name })}
        itemKey={({ id }) => id}
        list={wholeList(useQuery(secretsQuery))}
        name={({ name }) => name}
        noun="secret"
        removable={() => manages}
        remove={{
          send: deleteSecret,
          invalidates: [secretsQuery.queryKey],
          warning: (secret) => <DeletionWarning secret={secret} />,
        }}
        row={(secret, actions) => (
          <Row
            actions={
              <>
                <IconButton icon="list" label={`Record of ${secret.name}`} onClick={() => setHistory(secret)} />
                {actions}
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
        )}
        title="Secrets"
      />
      {history && <History onClose={() => setHistory(null)} secret={history} />}
    </>
  );
}

function History({ secret, onClose }: { secret: Secret; onClose: () => void }) {
  const { data: history, error, refetch } = useQuery(secretHistoryQuery(secret));
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
  if (history.places.length === 0) return <p className="text-muted-foreground">No known references.</p>;
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
            <span className="font-medium">{use.actorName ?? `A deleted ${use.actorKind}`}</span> {verbs[use.action]}
            {use.purpose && <> for {use.purpose}</>}
          </p>
          <p className="text-xs text-muted-foreground">{fullTime(use.at)}</p>
        </li>
      ))}
    </ol>
  );
}

/** Names what the deletion breaks. */
function DeletionWarning({ secret }: { secret: Secret }) {
  const { data: history, error } = useQuery({
    ...secretHistoryQuery(secret),
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const lastUse = history?.uses.find((use) => use.action === "use");
  return (
    <div className="flex flex-col gap-3">
      <p>The value is erased, and runs that declare this secret fail. Its record is kept.</p>
      <ErrorNotice error={error} />
      {history && <Places history={history} />}
      {history && (
        <p>
          {lastUse
            ? `Last used by ${lastUse.actorName ?? "a deleted account"} for ${lastUse.purpose}, ${fullTime(lastUse.at)}.`
            : secret.lastUsedAt
              ? `Last used ${fullTime(secret.lastUsedAt)}.`
              : "It was never used."}
        </p>
      )}
    </div>
  );
}
