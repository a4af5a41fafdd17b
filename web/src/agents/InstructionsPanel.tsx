import { useState } from "react";
import { z } from "zod";
import { agentsKey } from "../api/agents";
import { putAgentMd, seenIn } from "../api/agentcalls";
import { Button } from "../ui/Button";
import { TextArea } from "../ui/Field";
import { FormPage } from "../ui/FormPage";
import { Panel } from "../ui/Page";
import { useRecordForm } from "../ui/recordform";
import { useToast } from "../ui/Toast";
import type { BundlePanelProps } from "./tools/ToolsPanel";

const most = 500_000;
const schema = z.object({ content: z.string().max(most, "At most 500,000 characters.") });

/** Instructions of the agent, as written. */
export function InstructionsPanel({ agent, bundle, writable }: BundlePanelProps) {
  const [editing, setEditing] = useState(false);
  const content = bundle.bundle.agent_md;
  return (
    <Panel
      actions={
        writable && (
          <Button data-testid="edit-instructions" icon="pencil" onClick={() => setEditing(true)} variant="quiet">
            Edit
          </Button>
        )
      }
      title="agent.md"
    >
      {content === "" ? (
        <p className="text-sm text-muted-foreground">
          No instructions yet. Describe the agent’s purpose and when to use which tool.
        </p>
      ) : (
        <pre className="font-sans text-sm whitespace-pre-wrap wrap-anywhere" data-testid="agent-md">
          {content}
        </pre>
      )}
      {editing && <InstructionsForm agent={agent} bundle={bundle} onClose={() => setEditing(false)} />}
    </Panel>
  );
}

function InstructionsForm({
  agent,
  bundle,
  onClose,
}: Pick<BundlePanelProps, "agent" | "bundle"> & { onClose: () => void }) {
  const toast = useToast();
  const form = useRecordForm({
    schema,
    item: bundle,
    values: (now) => ({ content: now?.bundle.agent_md ?? "" }),
    send: ({ content }, began, key) => putAgentMd(seenIn(agent.id, began ?? bundle), content, key),
    invalidates: [agentsKey],
    onSaved: () => {
      toast("agent.md was saved");
      onClose();
    },
  });
  return (
    <FormPage form={form} onClose={onClose} submitLabel="Save" title="agent.md" wide>
      <TextArea
        className="font-mono text-[0.8125rem]"
        hint="Markdown. Do not include secrets."
        label="Instructions"
        rows={18}
        {...form.field("content")}
      />
    </FormPage>
  );
}
