import { useMutation, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
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
import { Icon } from "../ui/Icon";
import { ListPage, wholeList } from "../ui/ListPage";
import { ErrorNotice } from "../ui/Notice";
import { Row } from "../ui/Rows";
import { useToast } from "../ui/Toast";
import { ConnectionForm } from "./ConnectionForm";
import { ConnectionSpend } from "./ConnectionSpend";

export function ConnectionsPage() {
  const spend = useQuery(spendQuery);
  return (
    <ListPage
      create={(close) => <ConnectionForm onClose={close} />}
      description="Model providers with an OpenAI-compatible API."
      edit={(connection, close) => <ConnectionForm connection={connection} onClose={close} />}
      empty={{
        title: "No connection yet",
        hint: "The assistant needs a model. Add a provider with its address and key.",
      }}
      history={({ id }) => ({ type: "ai.connection", id })}
      itemKey={({ id }) => id}
      list={wholeList(useQuery(connectionsQuery))}
      name={({ name }) => name}
      noun="connection"
      removable={({ kind }) => kind !== "demo"}
      remove={{
        send: deleteConnection,
        invalidates: [connectionsQuery.queryKey, integrationsQuery.queryKey],
        warning: "Conversations that use it continue with another connection. Its key is erased.",
      }}
      row={(connection, actions) => (
        <ConnectionRow
          actions={actions}
          connection={connection}
          spend={spend.data?.filter(({ connectionId }) => connectionId === connection.id) ?? []}
        />
      )}
      title="Connections"
    >
      <ErrorNotice error={spend.error} onRetry={() => void spend.refetch()} />
    </ListPage>
  );
}

interface ConnectionRowProps {
  connection: Connection;
  spend: PrincipalSpend[];
  actions: ReactNode;
}

function ConnectionRow({ connection, spend, actions }: ConnectionRowProps) {
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
          {actions}
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
