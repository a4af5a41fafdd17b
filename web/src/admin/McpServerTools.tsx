import { useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import {
  chooseMcpTools,
  mcpServersQuery,
  mcpToolsQuery,
  type McpChoice,
  type McpServer,
  type McpTool,
} from "../api/mcpservers";
import { useWrite } from "../api/write";
import { DiffView } from "../proposals/ChangeView";
import { Badge, type Tone } from "../ui/Badge";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { DiscardDialog } from "../ui/DiscardDialog";
import { Checkbox, SelectField } from "../ui/Field";
import { ErrorNotice, SkeletonRows } from "../ui/Notice";

const states: Record<McpTool["state"], { label: string; tone: Tone }> = {
  accepted: { label: "accepted", tone: "success" },
  new: { label: "new, off", tone: "warning" },
  changed: { label: "changed, off", tone: "danger" },
  gone: { label: "gone", tone: "neutral" },
};

/** Tool definitions of a server, their differences from the accepted ones, and the administrator's choices. */
export function McpServerTools(props: { server: McpServer; manages: boolean; onClose: () => void }) {
  const { server, manages, onClose } = props;
  const { data: tools, error, refetch } = useQuery(mcpToolsQuery(server.id));
  const chosen = useRef(new Set<string>());
  const [leaving, setLeaving] = useState(false);
  const onChoice = useCallback((id: string, changed: boolean) => {
    if (changed) chosen.current.add(id);
    else chosen.current.delete(id);
  }, []);
  return (
    <Dialog
      onClose={() => (chosen.current.size > 0 ? setLeaving(true) : onClose())}
      testId="mcp-tools"
      title={`Tools of ${server.name}`}
      wide
    >
      <ErrorNotice error={error} onRetry={() => void refetch()} />
      {!tools && !error && <SkeletonRows rows={3} />}
      {tools?.length === 0 && (
        <p className="text-sm text-muted-foreground">No tools known yet. Refresh to load them from the server.</p>
      )}
      {tools && tools.length > 0 && (
        <ul aria-label="Tools" className="divide-y rounded-lg border">
          {tools.map((tool) => (
            // Typed choices belong to the definition that was read.
            <li className="flex flex-col gap-3 px-3 py-3" data-testid="mcp-tool" key={`${tool.id} ${tool.hash}`}>
              <Said tool={tool} />
              {manages && tool.hash && <Choice hash={tool.hash} onChoice={onChoice} server={server} tool={tool} />}
            </li>
          ))}
        </ul>
      )}
      {leaving && <DiscardDialog onDiscard={onClose} onStay={() => setLeaving(false)} />}
    </Dialog>
  );
}

function Said({ tool }: { tool: McpTool }) {
  const said = tool.definition ?? tool.accepted;
  const state = states[tool.state];
  return (
    <div className="flex flex-col gap-2 text-sm">
      <div className="flex flex-wrap items-center gap-2">
        <code className="font-mono font-medium wrap-anywhere">{tool.name}</code>
        <Badge tone={state.tone}>{state.label}</Badge>
        {!tool.enabled && <Badge>switched off</Badge>}
      </div>
      {said?.description && <p className="whitespace-pre-line wrap-anywhere">{said.description}</p>}
      {tool.diff && tool.diff.length > 0 && (
        <div>
          <p className="mb-1 font-medium">Changed by the server</p>
          <DiffView changes={tool.diff} />
        </div>
      )}
      <details>
        <summary>Full definition</summary>
        <pre className="max-h-60 overflow-auto rounded bg-muted p-2 text-xs">{JSON.stringify(said, null, 2)}</pre>
      </details>
    </div>
  );
}

interface ChoiceProps {
  server: McpServer;
  tool: McpTool;
  hash: string;
  /** Hears whether something was chosen that is not saved. */
  onChoice: (id: string, changed: boolean) => void;
}

function Choice({ server, tool, hash, onChoice }: ChoiceProps) {
  const [effect, setEffect] = useState<McpTool["effect"]>(tool.effect);
  const [trusted, setTrusted] = useState(tool.trusted);
  const [enabled, setEnabled] = useState(tool.enabled);
  const changed = effect !== tool.effect || trusted !== tool.trusted || enabled !== tool.enabled;
  useEffect(() => {
    onChoice(tool.id, changed);
    return () => onChoice(tool.id, false);
  }, [onChoice, tool.id, changed]);
  const accept = useWrite({
    send: (choice: McpChoice, key) => chooseMcpTools(server.id, [choice], key),
    invalidates: [mcpServersQuery.queryKey],
  });
  return (
    <div className="flex flex-col gap-2">
      <SelectField
        hint="Reads run at once; other calls need approval."
        label="Effect"
        onChange={(event) => setEffect(event.target.value as McpTool["effect"])}
        value={effect}
      >
        <option value="mutate">changes data, or unknown</option>
        <option value="destructive">removes data</option>
        <option value="read">reads</option>
      </SelectField>
      <Checkbox
        checked={trusted}
        hint="Reads run without approval, and auto mode can apply changes."
        label="Trusted"
        onChange={(event) => setTrusted(event.target.checked)}
      />
      <Checkbox checked={enabled} label="On" onChange={(event) => setEnabled(event.target.checked)} />
      <ErrorNotice error={accept.error} />
      <div>
        <Button
          busy={accept.isPending}
          data-testid="accept-mcp-tool"
          onClick={() => accept.mutate({ id: tool.id, hash, effect, trusted, enabled })}
          variant={tool.state === "accepted" ? "secondary" : "primary"}
        >
          {tool.state === "accepted" ? "Save" : "Accept"}
        </Button>
      </div>
    </div>
  );
}
