import { useQuery } from "@tanstack/react-query";
import { confirmConnection, connectionsQuery, type Connection } from "../api/connections";
import { holds, meQuery } from "../api/session";
import { useWrite } from "../api/write";
import { Button } from "../ui/Button";
import { ErrorNotice } from "../ui/Notice";
import { useToast } from "../ui/Toast";

/** Keeps the focus in the row: the button that had it is gone once the connection is confirmed. */
const takeFocus = (element: HTMLElement | null) => element?.focus();

/** Names who changed a connection since an administrator confirmed it, and lets an administrator confirm it. */
export function ConnectionConfirmation({ connection }: { connection: Connection }) {
  const toast = useToast();
  const { data: me } = useQuery(meQuery);
  const confirm = useWrite({
    send: confirmConnection,
    invalidates: [connectionsQuery.queryKey],
    onSuccess: () => toast(`${connection.name} is confirmed`),
  });
  if (connection.unconfirmedChangesBy.length === 0 && !confirm.isSuccess) return null;
  if (connection.unconfirmedChangesBy.length === 0) {
    return (
      <p className="mt-2 text-sm text-muted-foreground" ref={takeFocus} tabIndex={-1}>
        Confirmed as it is now.
      </p>
    );
  }
  return (
    <div className="mt-2 flex flex-wrap items-center gap-3 text-sm text-warning" data-testid="connection-unconfirmed">
      <p>
        Changed by {connection.unconfirmedChangesBy.join(", ")}. Auto mode asks about each change until an administrator
        confirms it.
      </p>
      {holds(me, "*") && (
        <Button busy={confirm.isPending} data-testid="confirm-connection" onClick={() => confirm.mutate(connection)}>
          Confirm connection
        </Button>
      )}
      <ErrorNotice error={confirm.error} />
    </div>
  );
}
