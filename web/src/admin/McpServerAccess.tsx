import { useQuery } from "@tanstack/react-query";
import { SharingForm } from "../agents/SharingForm";
import { grantsQuery, type Relation } from "../api/grants";
import { mcpServersQuery, type McpServer } from "../api/mcpservers";
import { Dialog } from "../ui/Dialog";
import { ErrorNotice, SkeletonRows } from "../ui/Notice";

const relations: Record<Relation, string> = { viewer: "use it", editor: "change it", owner: "own it" };

/** Access to an MCP server and its tools by grants, beside access by roles. */
export function McpServerAccess({ server, onClose }: { server: McpServer; onClose: () => void }) {
  const object = { type: "mcp.server", id: server.id };
  const { data, error, refetch } = useQuery(grantsQuery(object.type, object.id));
  if (!data)
    return (
      <Dialog onClose={onClose} testId="mcp-access" title={`Share ${server.name}`}>
        {error ? <ErrorNotice error={error} onRetry={() => void refetch()} /> : <SkeletonRows rows={2} />}
      </Dialog>
    );
  return (
    <SharingForm
      grants={data}
      hint="If on, only those listed can use it, whatever their roles. Keep an owner."
      invalidates={mcpServersQuery.queryKey}
      keepsOwn
      name={server.name}
      object={object}
      onClose={onClose}
      relations={relations}
    />
  );
}
