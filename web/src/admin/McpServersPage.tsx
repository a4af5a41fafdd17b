import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { deleteMcpServer, mcpServersQuery, refreshMcpServer, type McpServer } from "../api/mcpservers";
import { grantRules } from "../api/grants";
import { holds, meQuery } from "../api/session";
import { mayEdit, mayOwn } from "../catalog/permission";
import { administrationRules } from "../shell/administration";
import { Badge } from "../ui/Badge";
import { Button } from "../ui/Button";
import { ListPage, wholeList } from "../ui/ListPage";
import { ErrorNotice } from "../ui/Notice";
import { Row } from "../ui/Rows";
import { fullTime, timeAgo, useNow } from "../ui/time";
import { McpServerAccess } from "./McpServerAccess";
import { McpServerForm } from "./McpServerForm";
import { McpServerTools } from "./McpServerTools";
import { McpSignIn, SignInBadge } from "./McpSignIn";

/** External MCP servers, whose tools the assistant can call once an administrator has accepted them. */
export function McpServersPage() {
  const { data: me } = useQuery(meQuery);
  const manages = holds(me, administrationRules.servers);
  const list = wholeList(useQuery(mcpServersQuery));
  const [shown, setShown] = useState<string | null>(null);
  const server = list.items?.find(({ id }) => id === shown);
  const [sharing, setSharing] = useState<McpServer | null>(null);
  const reads = holds(me, grantRules.read) || holds(me, grantRules.manage);
  const shares = (item: McpServer) => reads && (holds(me, grantRules.manage) || (manages && mayOwn(item)));
  return (
    <>
      <ListPage
        create={manages ? (close) => <McpServerForm onClose={close} /> : undefined}
        createLabel="Add server"
        description="External tools for the assistant. A tool is available once an administrator accepts it."
        edit={(item, close) => <McpServerForm onClose={close} server={item} />}
        editable={(item) => manages && mayEdit(item)}
        empty={
          manages
            ? {
                title: "No MCP server yet",
                hint: "Add one by its address, load its tools and accept the useful ones.",
              }
            : {
                title: "No MCP server for you",
                hint: "Administrators add servers and share private ones.",
              }
        }
        history={({ id }) => ({ type: "mcp.server", id })}
        itemKey={({ id }) => id}
        list={list}
        name={({ name }) => name}
        noun="server"
        removable={(item) => manages && mayOwn(item)}
        remove={{
          send: deleteMcpServer,
          invalidates: [mcpServersQuery.queryKey],
          warning: "Its tools become unavailable, and their accepted definitions are deleted.",
        }}
        row={(item, actions) => (
          <ServerRow
            actions={actions}
            manages={manages && mayEdit(item)}
            onShare={shares(item) ? () => setSharing(item) : undefined}
            onTools={() => setShown(item.id)}
            server={item}
          />
        )}
        title="MCP servers"
      />
      {sharing && <McpServerAccess onClose={() => setSharing(null)} server={sharing} />}
      {server && <McpServerTools manages={manages && mayEdit(server)} onClose={() => setShown(null)} server={server} />}
    </>
  );
}

interface ServerRowProps {
  server: McpServer;
  manages: boolean;
  onTools: () => void;
  /** Undefined where access is not edited. */
  onShare: (() => void) | undefined;
  actions: ReactNode;
}

function ServerRow({ server, manages, onTools, onShare, actions }: ServerRowProps) {
  const now = useNow(60_000);
  const queryClient = useQueryClient();
  const refresh = useMutation({
    mutationFn: () => refreshMcpServer(server.id),
    // Why a server did not answer is kept, too.
    onSettled: () => queryClient.invalidateQueries({ queryKey: mcpServersQuery.queryKey }),
  });
  return (
    <Row
      actions={
        <>
          {manages && (
            <Button busy={refresh.isPending} data-testid="refresh-mcp-server" onClick={() => refresh.mutate()}>
              Refresh
            </Button>
          )}
          <Button data-testid="mcp-server-tools" onClick={onTools}>
            Tools
          </Button>
          {onShare && (
            <Button data-testid="share-mcp-server" onClick={onShare}>
              Access
            </Button>
          )}
          {actions}
        </>
      }
      badges={
        <>
          {server.private && <Badge>private</Badge>}
          {!server.enabled && <Badge tone="warning">disabled</Badge>}
          {server.signIn && <SignInBadge state={server.signIn.state} />}
          {server.usable > 0 && <Badge tone="success">{count(server.usable)} on</Badge>}
          {server.waiting > 0 && <Badge tone="warning">{count(server.waiting)} to read</Badge>}
        </>
      }
      detail={
        <>
          <p>{server.address}</p>
          <p className="text-xs">
            {server.refreshedAt ? (
              <span title={fullTime(server.refreshedAt)}>
                {server.implementation || "It"} answered {timeAgo(server.refreshedAt, now)}
              </span>
            ) : (
              "Not contacted yet."
            )}
            {server.secret && !server.signIn && (
              <>
                {" · sends "}
                <code className="font-mono">{server.secret}</code>
              </>
            )}
          </p>
        </>
      }
      title={server.name}
    >
      {server.signIn && <McpSignIn manages={manages} server={server} signIn={server.signIn} />}
      <ErrorNotice className="mt-2" error={refresh.error} />
      {!refresh.error && server.refreshError && (
        <p className="mt-2 text-sm text-danger wrap-anywhere">{server.refreshError}</p>
      )}
      {server.leftOut.length > 0 && (
        <details className="mt-2 text-sm">
          <summary>{count(server.leftOut.length)} left out</summary>
          <ul className="list-disc pl-5">
            {server.leftOut.map(({ name, reason }) => (
              <li className="wrap-anywhere" key={name}>
                <code className="font-mono">{name}</code>: {reason}
              </li>
            ))}
          </ul>
        </details>
      )}
    </Row>
  );
}

const count = (n: number) => (n === 1 ? "1 tool" : `${n} tools`);
