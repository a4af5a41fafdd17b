import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { agentsKey, type Agent, type AgentTool, type BundleOf } from "../../api/agents";
import { deleteTool, seenIn } from "../../api/agentcalls";
import { count } from "../../health/format";
import type { Schema } from "../../health/form/schema";
import { SourceView } from "../../scripts/SourceView";
import { Badge } from "../../ui/Badge";
import { Button, buttonShape } from "../../ui/Button";
import { DeleteDialog } from "../../ui/DeleteDialog";
import { Icon } from "../../ui/Icon";
import { IconButton } from "../../ui/IconButton";
import { EmptyState } from "../../ui/Notice";
import { effects } from "../words";
import { ArgumentsTable } from "./ArgumentsTable";
import { CapabilitySummary } from "./CapabilitySummary";
import { NewToolDialog } from "./NewToolDialog";

export interface BundlePanelProps {
  agent: Agent;
  bundle: BundleOf;
  /** Of the revision. */
  number: number;
  /** It is a draft, and the reader is an editor. */
  writable: boolean;
}

/** The tools of a revision. */
export function ToolsPanel({ agent, bundle, number, writable }: BundlePanelProps) {
  const [creating, setCreating] = useState(false);
  const [removing, setRemoving] = useState<AgentTool | null>(null);
  const { tools, spec } = bundle.bundle;
  const newTool = (
    <Button data-testid="new-tool" icon="plus" onClick={() => setCreating(true)} variant="primary">
      New tool
    </Button>
  );
  return (
    <section aria-label="Tools" className="flex flex-col gap-3">
      {tools.length > 0 && writable && <div className="flex justify-end">{newTool}</div>}
      {tools.length === 0 && (
        <EmptyState action={writable && newTool} title="No tool in this revision">
          A tool is a function in TypeScript that the assistant can call.
        </EmptyState>
      )}
      {tools.map((tool) => (
        <ToolCard
          agent={agent}
          declared={(spec.secrets ?? []).map(({ name }) => name)}
          key={tool.id}
          number={number}
          onRemove={writable ? () => setRemoving(tool) : undefined}
          tool={tool}
          writable={writable}
        />
      ))}
      {creating && (
        <NewToolDialog
          agentId={agent.id}
          number={number}
          onClose={() => setCreating(false)}
          taken={tools.map(({ id }) => id)}
        />
      )}
      {removing && (
        <DeleteDialog
          invalidates={[agentsKey]}
          item={removing}
          name={removing.id}
          noun="tool"
          onClose={() => setRemoving(null)}
          onDeleted={() => setRemoving(null)}
          send={({ id }, key) => deleteTool(seenIn(agent.id, bundle), id, key)}
          warning="It is removed from this draft, with its examples. Other revisions keep it."
        />
      )}
    </section>
  );
}

interface ToolCardProps {
  agent: Agent;
  number: number;
  tool: AgentTool;
  /** The names of the secrets that the revision declares. */
  declared: readonly string[];
  writable: boolean;
  onRemove?: () => void;
}

/** One tool: description, capabilities, arguments and source. */
function ToolCard({ agent, number, tool, declared, writable, onRemove }: ToolCardProps) {
  const [open, setOpen] = useState(false);
  const effect = effects[tool.effect];
  return (
    <article className="flex flex-col gap-3 rounded-xl border bg-card p-4 shadow-raised" data-testid="tool-card">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <h2 className="min-w-0 font-mono text-sm font-semibold wrap-anywhere">{tool.id}</h2>
        <Badge title={effect.hint} tone={effect.tone}>
          {effect.badge}
        </Badge>
        <Badge>{count(tool.examples.length, "example")}</Badge>
        {tool.warnings.length > 0 && <Badge tone="warning">{count(tool.warnings.length, "warning")}</Badge>}
        <div className="ml-auto flex items-center gap-1">
          {onRemove && <IconButton icon="trash" label={`Delete ${tool.id}`} onClick={onRemove} />}
          <Link
            className={`${buttonShape} border-input bg-card hover:bg-muted`}
            data-testid="open-studio"
            search={{ agent: agent.id, revision: number, tool: tool.id }}
            to="/agents/editor"
          >
            <Icon name={writable ? "pencil" : "play"} size={16} />
            {writable ? "Edit and try" : "Read and try"}
          </Link>
        </div>
      </div>
      <p className="text-sm whitespace-pre-wrap wrap-anywhere">{tool.description}</p>
      <CapabilitySummary capabilities={tool.capabilities} declared={declared} />
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary className="text-sm text-muted-foreground">Arguments and source</summary>
        {open && (
          <div className="mt-2 flex flex-col gap-3">
            <ArgumentsTable schema={(tool.args_schema ?? {}) as Schema} />
            <SourceView language="typescript" problems={[]} source={tool.source} />
          </div>
        )}
      </details>
    </article>
  );
}
