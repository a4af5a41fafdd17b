import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useRef, type ReactNode } from "react";
import {
  connectionsQuery,
  deleteConnection,
  setDefaultConnection,
  spendQuery,
  testConnection,
  updateConnection,
  type Connection,
  type PrincipalSpend,
  type SpendCap,
} from "../api/connections";
import { integrationsQuery } from "../api/integrations";
import { useWrite } from "../api/write";
import { interval } from "../health/format";
import { Badge } from "../ui/Badge";
import { Button, buttonShape, whileBusy } from "../ui/Button";
import { ListPage, wholeList } from "../ui/ListPage";
import { ErrorNotice } from "../ui/Notice";
import { Row } from "../ui/Rows";
import { useToast } from "../ui/Toast";
import { CheckResult, ConnectionWindow } from "./ConnectionCheck";
import { ConnectionConfirmation } from "./ConnectionConfirmation";
import { ConnectionForm } from "./ConnectionForm";
import { ConnectionLessons } from "./ConnectionLessons";
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
    send: setDefaultConnection,
    invalidates: [connectionsQuery.queryKey, integrationsQuery.queryKey],
    onSuccess: () => toast(`New chats use ${connection.name}`),
  });
  const queryClient = useQueryClient();
  const check = useMutation({
    mutationFn: async ({ id, revision }: Connection) => ({ result: await testConnection(id), revision }),
    // The test stores the window that the server reports.
    onSuccess: () => queryClient.invalidateQueries({ queryKey: connectionsQuery.queryKey }),
  });
  const testing = useRef<HTMLButtonElement>(null);
  const correct = useWrite({
    send: (baseUrl: string, key) => updateConnection(connection, { baseUrl }, key),
    invalidates: [connectionsQuery.queryKey, integrationsQuery.queryKey],
    onSuccess: (corrected) => {
      toast(`${corrected.name} uses ${corrected.baseUrl}`);
      // The button that was pressed goes with the old result.
      testing.current?.focus();
      check.mutate(corrected);
    },
  });
  return (
    <Row
      actions={
        <>
          <Button
            busy={check.isPending}
            data-testid="test-connection"
            onClick={() => check.mutate(connection)}
            ref={testing}
          >
            Test
          </Button>
          <Link
            className={`${buttonShape} border-input bg-card hover:bg-muted`}
            params={{ connectionId: connection.id }}
            to="/admin/connections/$connectionId/check"
          >
            Check this model
          </Link>
          {actions}
        </>
      }
      badges={
        <>
          {connection.isDefault && <Badge tone="success">default</Badge>}
          {connection.enabled && !connection.isDefault && (
            <button
              className="rounded text-xs text-primary underline-offset-2 hover:underline aria-disabled:opacity-60"
              data-testid="make-default"
              type="button"
              {...whileBusy(choose.isPending, { onClick: () => choose.mutate(connection) })}
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
      detail={connection.baseUrl || "Built in. Answers from a script, without an API key."}
      title={connection.name}
    >
      <ConnectionConfirmation connection={connection} />
      <ConnectionWindow connection={connection} />
      <ErrorNotice className="mt-2" error={check.error} />
      <ErrorNotice className="mt-2" error={choose.error} />
      <ErrorNotice className="mt-2" error={correct.error} />
      {check.data && (
        <CheckResult
          busy={correct.isPending}
          check={check.data.result}
          onCorrect={(url) => correct.mutate(url)}
          outdated={check.data.revision !== connection.revision}
        />
      )}
      <ConnectionLessons connection={connection} />
      <ConnectionSpend spend={spend} />
    </Row>
  );
}

const describeCap = ({ tokenBudget, windowMinutes }: SpendCap) =>
  `${tokenBudget.toLocaleString()} tokens / ${interval(windowMinutes * 60)}`;
