import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import {
  connectionsQuery,
  deleteConnection,
  spendQuery,
  testConnection,
  updateConnection,
  type Connection,
  type ConnectionTest,
  type PrincipalSpend,
  type SpendCap,
} from "../api/connections";
import { integrationsQuery } from "../api/integrations";
import { useWrite } from "../api/write";
import { Badge } from "../ui/Badge";
import { Button } from "../ui/Button";
import { ConfirmDialog } from "../ui/Dialog";
import { Icon } from "../ui/Icon";
import { IconButton } from "../ui/IconButton";
import { EmptyState, ErrorNotice, SkeletonRows } from "../ui/Notice";
import { Page } from "../ui/Page";
import { Row, Rows } from "../ui/Rows";
import { useToast } from "../ui/Toast";
import { ConnectionForm } from "./ConnectionForm";
import { ConnectionSpend } from "./ConnectionSpend";

type Open = { kind: "create" } | { kind: "edit" | "delete"; connection: Connection } | null;

export function ConnectionsPage() {
  const { data: connections, error, refetch } = useQuery(connectionsQuery);
  const spend = useQuery(spendQuery);
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  return (
    <Page
      actions={
        <Button data-testid="new-connection" icon="plus" onClick={() => setOpen({ kind: "create" })} variant="primary">
          New connection
        </Button>
      }
      description="Model providers with an OpenAI-compatible API."
      testId="connections-page"
      title="Connections"
    >
      <ErrorNotice error={error} onRetry={() => void refetch()} />
      <ErrorNotice error={spend.error} onRetry={() => void spend.refetch()} />
      {!connections && !error && <SkeletonRows />}
      {connections?.length === 0 && (
        <EmptyState title="No connection yet">
          The assistant needs a model. Add a provider with its address and key.
        </EmptyState>
      )}
      {connections && connections.length > 0 && (
        <Rows label="Connections">
          {connections.map((connection) => (
            <ConnectionRow
              connection={connection}
              key={connection.id}
              spend={spend.data?.filter(({ connectionId }) => connectionId === connection.id) ?? []}
              onDelete={() => setOpen({ kind: "delete", connection })}
              onEdit={() => setOpen({ kind: "edit", connection })}
            />
          ))}
        </Rows>
      )}
      {open?.kind === "create" && <ConnectionForm onClose={close} />}
      {open?.kind === "edit" && <ConnectionForm connection={open.connection} onClose={close} />}
      {open?.kind === "delete" && <DeleteConnection connection={open.connection} onClose={close} />}
    </Page>
  );
}

interface ConnectionRowProps {
  connection: Connection;
  spend: PrincipalSpend[];
  onEdit: () => void;
  onDelete: () => void;
}

function ConnectionRow({ connection, spend, onEdit, onDelete }: ConnectionRowProps) {
  const toast = useToast();
  const choose = useWrite({
    send: (chosen: Connection, key) => updateConnection(chosen, { isDefault: true }, key),
    invalidates: [connectionsQuery.queryKey, integrationsQuery.queryKey],
    onSuccess: () => toast(`New chats begin with ${connection.name}`),
  });
  const check = useMutation({ mutationFn: () => testConnection(connection.id) });
  return (
    <Row
      actions={
        <>
          <Button busy={check.isPending} data-testid="test-connection" onClick={() => check.mutate()}>
            Test
          </Button>
          <IconButton icon="pencil" label={`Edit ${connection.name}`} onClick={onEdit} />
          {connection.kind !== "demo" && (
            <IconButton icon="trash" label={`Delete ${connection.name}`} onClick={onDelete} />
          )}
        </>
      }
      badges={
        <>
          {connection.isDefault && <Badge tone="success">default</Badge>}
          {connection.enabled && !connection.isDefault && (
            <button
              className="rounded text-xs text-primary underline-offset-2 hover:underline disabled:opacity-60"
              data-testid="make-default"
              disabled={choose.isPending}
              onClick={() => choose.mutate(connection)}
              type="button"
            >
              Make default
            </button>
          )}
          <Badge>{connection.defaultModel}</Badge>
          {connection.kind === "demo" && <Badge tone="warning">scripted, no AI</Badge>}
          {!connection.enabled && <Badge tone="warning">disabled</Badge>}
          {connection.spendCap && <Badge>{describeCap(connection.spendCap)}</Badge>}
          {connection.unattendedSpendCap && <Badge>unattended: {describeCap(connection.unattendedSpendCap)}</Badge>}
        </>
      }
      detail={connection.baseUrl || "Built in; answers from a script so that everything can be tried without a key."}
      title={connection.name}
    >
      <ErrorNotice className="mt-2" error={check.error} />
      <ErrorNotice className="mt-2" error={choose.error} />
      {check.data && <CheckResult check={check.data} />}
      <ConnectionSpend spend={spend} />
    </Row>
  );
}

const describeCap = ({ tokenBudget, windowMinutes }: SpendCap) =>
  `${tokenBudget.toLocaleString()} tokens / ${windowMinutes} min`;

/** The provider's answer word for word: its own error text says best what is wrong. */
function CheckResult({ check }: { check: ConnectionTest }) {
  return (
    <div
      className={`mt-2 flex items-start gap-2 rounded-lg px-3 py-2 text-sm ${check.ok ? "bg-success-soft text-success" : "bg-danger-soft text-danger"}`}
      data-testid="connection-check"
      role="status"
    >
      <Icon className="mt-0.5" name={check.ok ? "check" : "alert"} size={16} />
      <div className="min-w-0 wrap-anywhere">
        <p className="whitespace-pre-wrap">{check.message}</p>
        <p className="text-xs opacity-80">
          {check.latencyMs} ms
          {check.models && check.models.length > 0 ? `, models: ${check.models.slice(0, 12).join(", ")}` : ""}
        </p>
      </div>
    </div>
  );
}

function DeleteConnection({ connection, onClose }: { connection: Connection; onClose: () => void }) {
  const toast = useToast();
  const remove = useWrite({
    send: deleteConnection,
    invalidates: [connectionsQuery.queryKey, integrationsQuery.queryKey],
    onSuccess: () => {
      toast(`${connection.name} was deleted`);
      onClose();
    },
  });
  return (
    <ConfirmDialog
      busy={remove.isPending}
      confirmLabel="Delete connection"
      error={remove.error}
      onClose={onClose}
      onConfirm={() => remove.mutate(connection)}
      title={`Delete ${connection.name}?`}
    >
      Conversations that use it continue with another connection. Its key is erased.
    </ConfirmDialog>
  );
}
