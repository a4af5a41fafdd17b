import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { endMcpSignIn, mcpServersQuery, startMcpSignIn, type McpServer } from "../api/mcpservers";
import { Badge } from "../ui/Badge";
import { Button } from "../ui/Button";
import { ConfirmDialog } from "../ui/Dialog";
import { ErrorNotice } from "../ui/Notice";
import { fullTime, timeAgo, useNow } from "../ui/time";
import { useToast } from "../ui/Toast";

type SignIn = NonNullable<McpServer["signIn"]>;

/** How it stands with the sign-in at a server by OAuth, in one word. */
export function SignInBadge({ state }: Pick<SignIn, "state">) {
  if (state === "in") return <Badge tone="success">signed in</Badge>;
  return <Badge tone="warning">{state === "again" ? "sign in again" : "not signed in"}</Badge>;
}

interface McpSignInProps {
  server: McpServer;
  signIn: SignIn;
  manages: boolean;
}

/** The sign-in at a server, and for who manages it the way there and out again. */
export function McpSignIn({ server, signIn, manages }: McpSignInProps) {
  const now = useNow(60_000);
  const [ending, setEnding] = useState(false);
  const start = useMutation({
    mutationFn: () => startMcpSignIn(server.id),
    onSuccess: (address) => window.location.assign(address),
  });
  return (
    <div className="mt-2 flex flex-col gap-2 text-sm" data-testid="mcp-sign-in">
      <p className="wrap-anywhere">
        {signIn.state === "in" && signIn.since && (
          <span title={fullTime(signIn.since)}>
            Signed in at {signIn.issuer} {timeAgo(signIn.since, now)}.{" "}
          </span>
        )}
        {signIn.state === "again" && `Sign-in ended: ${signIn.reason ?? "it was refused"}. `}
        {signIn.state === "out" && "Not signed in yet. "}
        All calls use the account that signs in.
      </p>
      {manages && (
        <div className="flex flex-wrap gap-2">
          {signIn.state === "in" ? (
            <Button data-testid="end-mcp-sign-in" onClick={() => setEnding(true)}>
              Disconnect
            </Button>
          ) : (
            <Button
              busy={start.isPending || start.isSuccess}
              data-testid="start-mcp-sign-in"
              onClick={() => start.mutate()}
              variant="primary"
            >
              {signIn.state === "again" ? "Sign in again" : "Connect"}
            </Button>
          )}
        </div>
      )}
      <ErrorNotice error={start.error} />
      {ending && <EndDialog onClose={() => setEnding(false)} server={server} />}
    </div>
  );
}

function EndDialog({ server, onClose }: { server: McpServer; onClose: () => void }) {
  const toast = useToast();
  const queryClient = useQueryClient();
  const end = useMutation({
    mutationFn: () => endMcpSignIn(server),
    onSuccess: ({ revoked }) => {
      toast(
        revoked
          ? `${server.name} was disconnected`
          : `${server.name} was disconnected here, but its tokens could not be revoked: revoke them there`,
      );
      onClose();
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: mcpServersQuery.queryKey }),
  });
  return (
    <ConfirmDialog
      busy={end.isPending}
      confirmLabel="Disconnect"
      error={end.error}
      onClose={onClose}
      onConfirm={() => end.mutate()}
      title={`Disconnect ${server.name}?`}
    >
      Its tokens are deleted. Its tools are unavailable until an administrator signs in again.
    </ConfirmDialog>
  );
}
