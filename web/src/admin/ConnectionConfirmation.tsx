import { confirmConnection, connectionsQuery, type Connection } from "../api/connections";
import { useWrite } from "../api/write";
import { Button } from "../ui/Button";
import { ErrorNotice } from "../ui/Notice";
import { useToast } from "../ui/Toast";

/** Names who changed a connection since an administrator confirmed it, and lets an administrator confirm it. */
export function ConnectionConfirmation({ connection }: { connection: Connection }) {
  const toast = useToast();
  const confirm = useWrite({
    send: confirmConnection,
    invalidates: [connectionsQuery.queryKey],
    onSuccess: () => toast(`${connection.name} is confirmed`),
  });
  if (connection.unconfirmedChangesBy.length === 0) return null;
  return (
    <div className="mt-2 flex flex-wrap items-center gap-3 text-sm text-warning" data-testid="connection-unconfirmed">
      <p>
        Changed by {connection.unconfirmedChangesBy.join(", ")}. Auto mode asks about each change until an administrator
        confirms it.
      </p>
      <Button busy={confirm.isPending} data-testid="confirm-connection" onClick={() => confirm.mutate(connection)}>
        Confirm connection
      </Button>
      <ErrorNotice error={confirm.error} />
    </div>
  );
}
