import { useState } from "react";
import { z } from "zod";
import { agentsKey, type AgentSkill } from "../api/agents";
import { deleteSkill, putSkill, seenIn } from "../api/agentcalls";
import { filled } from "../api/forms/named";
import { Button } from "../ui/Button";
import { DeleteDialog } from "../ui/DeleteDialog";
import { TextArea, TextField } from "../ui/Field";
import { FormPage } from "../ui/FormPage";
import { IconButton } from "../ui/IconButton";
import { EmptyState } from "../ui/Notice";
import { useRecordForm } from "../ui/recordform";
import { Row, Rows } from "../ui/Rows";
import { useToast } from "../ui/Toast";
import { idIssue } from "./studio/draft";
import type { BundlePanelProps } from "./tools/ToolsPanel";

type Open = { kind: "create" } | { kind: "edit" | "remove"; skill: AgentSkill } | null;

/** Instructions that the agent reads when it needs them. */
export function SkillsPanel({ agent, bundle, writable }: BundlePanelProps) {
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  const { skills } = bundle.bundle;
  const newSkill = (
    <Button data-testid="new-agent-skill" icon="plus" onClick={() => setOpen({ kind: "create" })} variant="primary">
      New skill
    </Button>
  );
  return (
    <section aria-label="Skills" className="flex flex-col gap-3">
      {skills.length > 0 && writable && <div className="flex justify-end">{newSkill}</div>}
      {skills.length === 0 && (
        <EmptyState action={writable && newSkill} title="No skill in this revision">
          A skill is guidance that the agent reads for matching tasks.
        </EmptyState>
      )}
      {skills.length > 0 && (
        <Rows itemKey={({ id }) => id} items={skills} label="Skills">
          {(skill) => (
            <Row
              actions={
                writable && (
                  <>
                    <IconButton
                      icon="pencil"
                      label={`Edit ${skill.id}`}
                      onClick={() => setOpen({ kind: "edit", skill })}
                    />
                    <IconButton
                      icon="trash"
                      label={`Delete ${skill.id}`}
                      onClick={() => setOpen({ kind: "remove", skill })}
                    />
                  </>
                )
              }
              detail={skill.description}
              title={<code className="font-mono text-sm">{skill.id}</code>}
            >
              <details className="mt-1">
                <summary className="text-sm text-muted-foreground">Text</summary>
                <pre className="mt-1 font-sans text-sm whitespace-pre-wrap wrap-anywhere">{skill.content}</pre>
              </details>
            </Row>
          )}
        </Rows>
      )}
      {open?.kind === "create" && <SkillForm agent={agent} bundle={bundle} onClose={close} />}
      {open?.kind === "edit" && <SkillForm agent={agent} bundle={bundle} onClose={close} skill={open.skill} />}
      {open?.kind === "remove" && (
        <DeleteDialog
          invalidates={[agentsKey]}
          item={open.skill}
          name={open.skill.id}
          noun="skill"
          onClose={close}
          onDeleted={close}
          send={({ id }, key) => deleteSkill(seenIn(agent.id, bundle), id, key)}
          warning="It is removed from this draft. Other revisions keep it."
        />
      )}
    </section>
  );
}

interface SkillFormProps extends Pick<BundlePanelProps, "agent" | "bundle"> {
  /** The skill to change; without it the form makes one. */
  skill?: AgentSkill;
  onClose: () => void;
}

function SkillForm({ agent, bundle, skill, onClose }: SkillFormProps) {
  const toast = useToast();
  const taken = skill ? [] : bundle.bundle.skills.map(({ id }) => id);
  const form = useRecordForm({
    schema: z.object({
      id: z.string().check((context) => {
        const issue = idIssue(context.value, taken);
        if (issue) context.issues.push({ code: "custom", message: issue, input: context.value });
      }),
      description: filled.max(2_000, "At most 2,000 characters."),
      content: z.string().max(100_000, "At most 100,000 characters."),
    }),
    item: bundle,
    values: (now) => {
      const stored = now?.bundle.skills.find(({ id }) => id === skill?.id);
      return { id: skill?.id ?? "", description: stored?.description ?? "", content: stored?.content ?? "" };
    },
    send: (fields, began, key) => putSkill(seenIn(agent.id, began ?? bundle), fields, key),
    invalidates: [agentsKey],
    onSaved: (_, { id }) => {
      toast(`${id} was saved`);
      onClose();
    },
  });
  return (
    <FormPage
      form={form}
      onClose={onClose}
      submitLabel={skill ? "Save" : "Create skill"}
      title={skill ? `Edit ${skill.id}` : "New skill"}
      wide
    >
      {!skill && (
        <TextField
          className="font-mono"
          hint="Cannot be changed later."
          label="Short name"
          maxLength={64}
          required
          spellCheck={false}
          {...form.field("id", (typed) => typed.toLowerCase())}
        />
      )}
      <TextArea
        hint="When the agent should read it."
        label="Description"
        required
        rows={2}
        {...form.field("description")}
      />
      <TextArea
        className="font-mono text-[0.8125rem]"
        hint="Markdown."
        label="Text"
        rows={14}
        {...form.field("content")}
      />
    </FormPage>
  );
}
