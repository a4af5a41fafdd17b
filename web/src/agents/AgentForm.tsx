import { useState } from "react";
import { z } from "zod";
import { agentsKey, type Agent } from "../api/agents";
import { createAgent, updateAgent } from "../api/agentcalls";
import { filled } from "../api/forms/named";
import { TextArea, TextField } from "../ui/Field";
import { FormPage } from "../ui/FormPage";
import { useRecordForm } from "../ui/recordform";
import { slugOf } from "./slug";

const schema = z.object({
  name: filled,
  slug: z
    .string()
    .trim()
    .regex(
      /^[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?$/,
      "Lowercase letters, digits, - and _ only, starting and ending with a letter or digit.",
    )
    .max(64, "At most 64 characters."),
  description: z.string().trim(),
});

interface AgentFormProps {
  /** The agent to change; without it the form makes one. */
  agent?: Agent;
  onClose: () => void;
  onSaved: (agent: Agent) => void;
}

export function AgentForm({ agent, onClose, onSaved }: AgentFormProps) {
  const form = useRecordForm({
    schema,
    item: agent,
    values: (now) => ({ name: now?.name ?? "", slug: now?.slug ?? "", description: now?.description ?? "" }),
    send: ({ slug, ...fields }, began, key) =>
      began ? updateAgent(began, fields, key) : createAgent({ ...fields, slug }, key),
    invalidates: [agentsKey],
    onSaved,
  });
  // The short name follows the name until it is typed itself.
  const [own, setOwn] = useState(false);
  const name = form.field("name");
  const slug = form.field("slug", (typed) => typed.toLowerCase());
  return (
    <FormPage
      form={form}
      onClose={onClose}
      submitLabel={agent ? "Save" : "Create agent"}
      title={agent ? `Edit ${agent.name}` : "New agent"}
    >
      <TextField
        label="Name"
        maxLength={200}
        required
        {...name}
        onChange={(event) => {
          if (!agent && !own) form.setValue("slug", slugOf(event.currentTarget.value));
          return name.onChange(event);
        }}
      />
      {!agent && (
        <TextField
          className="font-mono"
          hint="Part of its tool names, agent.short-name.tool; cannot be changed later."
          label="Short name"
          maxLength={64}
          required
          spellCheck={false}
          {...slug}
          onChange={(event) => {
            setOwn(true);
            return slug.onChange(event);
          }}
        />
      )}
      <TextArea hint="Purpose of the agent." label="Description" {...form.field("description")} />
      {!agent && (
        <p className="text-sm text-muted-foreground">Private at first. Share it with people and teams afterwards.</p>
      )}
    </FormPage>
  );
}
