import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import {
  createMemory,
  memoriesKey,
  shareableSystemsQuery,
  updateMemory,
  type Memory,
  type MemoryFields,
  type NewMemory,
} from "../api/memories";
import type { Reference } from "../api/session";
import { useWrite } from "../api/write";
import { parseList } from "../catalog/metadata";
import { Checkbox, SelectField, TextArea, TextField } from "../ui/Field";
import { FormDialog } from "../ui/FormDialog";
import { limits } from "./describe";

interface MemoryFormProps {
  /** The memory to change; without it the form saves a new one. */
  memory?: Memory;
  /** The system on which a new memory is shared; without it the form asks. */
  system?: Reference;
  onClose: () => void;
  onSaved: (memory: Memory) => void;
}

export function MemoryForm({ memory, system, onClose, onSaved }: MemoryFormProps) {
  const [systemId, setSystemId] = useState(memory?.systemId ?? system?.id ?? "");
  const [recallHint, setRecallHint] = useState(memory?.recallHint ?? "");
  const [content, setContent] = useState(memory?.content ?? "");
  const [tags, setTags] = useState((memory?.tags ?? []).join(", "));
  const [always, setAlways] = useState(false);
  const shared = systemId !== "";

  const save = useWrite({
    send: (fields: MemoryFields & Pick<NewMemory, "scope" | "systemId" | "alwaysInject">, key) => {
      const { scope: _scope, systemId: _systemId, alwaysInject: _alwaysInject, ...text } = fields;
      return memory ? updateMemory(memory, text, key) : createMemory(fields, key);
    },
    invalidates: [memoriesKey],
    onSuccess: onSaved,
  });

  return (
    <FormDialog
      busy={save.isPending}
      error={save.error}
      onClose={onClose}
      onSubmit={() =>
        save.mutate({
          scope: shared ? "system" : "user",
          systemId: systemId || undefined,
          recallHint: recallHint.trim(),
          content: content.trim(),
          tags: parseList(tags),
          alwaysInject: always,
        })
      }
      submitLabel={memory ? "Save" : "Add memory"}
      title={memory ? "Edit memory" : system ? `Add a memory to ${system.name}` : "Add a memory"}
    >
      {memory ? (
        <p className="text-sm text-muted-foreground">
          {memory.scope === "user" ? "Only you see it." : `Everybody who may see ${memory.systemName} sees it, with your name.`}
        </p>
      ) : (
        !system && <ScopeField onChange={setSystemId} value={systemId} />
      )}
      <TextField
        hint="The topic by which the assistant looks for it, such as: deploy window of payments."
        label="When to recall it"
        maxLength={limits.recallHint}
        name="recallHint"
        onChange={(event) => setRecallHint(event.currentTarget.value)}
        required
        value={recallHint}
      />
      <TextArea
        hint={`${shared ? "Others read it. " : ""}Do not write passwords or keys into it. ${content.length} of ${limits.content} characters.`}
        label="What to recall"
        maxLength={limits.content}
        name="content"
        onChange={(event) => setContent(event.currentTarget.value)}
        required
        rows={4}
        value={content}
      />
      <TextField
        hint="Separated by commas."
        label="Tags (optional)"
        name="tags"
        onChange={(event) => setTags(event.currentTarget.value)}
        value={tags}
      />
      {memory && memory.scope === "system" && !memory.own && (
        <p className="text-xs text-muted-foreground">
          When you change the text, it is no longer part of every prompt of {memory.ownerName}.
        </p>
      )}
      {!memory && (
        <Checkbox
          checked={always}
          hint={shared ? "Part of every prompt of yours; for others it stays something to search." : "Part of every prompt of yours."}
          label="Always include it"
          onChange={(event) => setAlways(event.currentTarget.checked)}
        />
      )}
    </FormDialog>
  );
}

function ScopeField({ value, onChange }: { value: string; onChange: (systemId: string) => void }) {
  const { data: systems } = useQuery(shareableSystemsQuery);
  return (
    <SelectField
      hint={value ? "Everybody who may see this system sees the memory, with your name." : "Only you see the memory."}
      label="For"
      name="scope"
      onChange={(event) => onChange(event.currentTarget.value)}
      value={value}
    >
      <option value="">Me only</option>
      {systems && systems.length > 0 && (
        <optgroup label="Shared on a system">
          {systems.map((system) => (
            <option key={system.id} value={system.id}>
              {system.name}
            </option>
          ))}
        </optgroup>
      )}
    </SelectField>
  );
}
