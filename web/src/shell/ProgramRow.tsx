import type { ReactNode } from "react";
import type { ConnectedProgram } from "../api/programs";
import { Badge } from "../ui/Badge";
import { Button } from "../ui/Button";
import { Row } from "../ui/Rows";
import { fullTime, timeAgo, useNow } from "../ui/time";

interface ProgramRowProps {
  program: ConnectedProgram;
  /** Says whose it is. */
  owner?: boolean;
  busy: boolean;
  onDisconnect: () => void;
  /** Further choices about the program. */
  children?: ReactNode;
}

/** Connected program, with the button that disconnects it. */
export function ProgramRow({ program, owner, busy, onDisconnect, children }: ProgramRowProps) {
  const now = useNow(60_000);
  const { name, origin, userName, scopes, createdAt, lastUsedAt, expiresAt } = program;
  return (
    <Row
      actions={
        <Button aria-label={`Disconnect ${name}`} busy={busy} data-testid="disconnect-program" onClick={onDisconnect}>
          Disconnect
        </Button>
      }
      badges={scopes.map(({ id, title, text }) => (
        <Badge key={id} title={text}>
          {title}
        </Badge>
      ))}
      detail={
        <span title={`Connected ${fullTime(createdAt)}, ends ${fullTime(expiresAt)} unless it is used before`}>
          {owner && `${userName}, `}
          {origin ?? "registered itself"}, {lastUsedAt ? `last used ${timeAgo(lastUsedAt, now)}` : "not used yet"}
        </span>
      }
      title={name}
    >
      {children}
    </Row>
  );
}
