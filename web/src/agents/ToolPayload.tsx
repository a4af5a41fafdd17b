import type { Schema } from "../health/form/schema";
import { SourceView } from "../scripts/SourceView";
import { Badge } from "../ui/Badge";
import type { ProposedTool } from "./proposedtool";
import { ArgumentsTable } from "./tools/ArgumentsTable";
import { effects } from "./words";

interface ToolPayloadProps {
  tool: ProposedTool;
  /** Names of referenced ids. */
  labels: Record<string, string> | null | undefined;
}

/** A proposed custom tool: description, arguments and source. */
export default function ToolPayload({ tool, labels }: ToolPayloadProps) {
  const agent = labels?.[tool.agent] ?? tool.agent;
  const effect = tool.effect && effects[tool.effect];
  return (
    <div className="flex flex-col gap-3 rounded-lg border p-3" data-testid="tool-payload">
      <div>
        <p className="flex flex-wrap items-center gap-2">
          <code className="font-mono text-sm font-semibold wrap-anywhere">{tool.tool}</code>
          {effect && (
            <Badge title={effect.hint} tone={effect.tone}>
              {effect.badge}
            </Badge>
          )}
          {agent && <span className="text-sm text-muted-foreground">in a draft of {agent}</span>}
        </p>
        {tool.description && (
          <p className="mt-1 text-sm whitespace-pre-wrap text-muted-foreground wrap-anywhere">{tool.description}</p>
        )}
      </div>
      <ArgumentsTable schema={tool.argsSchema as Schema} />
      <SourceView language="typescript" problems={[]} source={tool.source} />
      {effect && <p className="text-sm text-muted-foreground">{effect.hint}</p>}
    </div>
  );
}
