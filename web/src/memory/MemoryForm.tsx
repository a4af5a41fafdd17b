import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import {
  createMemory,
  memoriesKey,
  shareableSystemsQuery,
  similarMemory,
  updateMemory,
  type Memory,
  type NewMemory,
} from "../api/memories";
import { Problem, type ProblemDocument } from "../api/problem";
import type { Reference } from "../api/session";
import { useWrite } from "../api/write";
import { parseList } from "../catalog/metadata";
import { Button } from "../ui/Button";
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
    send: async ({ fields, replace }: { fields: NewMemory; replace?: boolean }, key) => {
      if (memory) return updateMemory(memory, textOf(fields), key);
      try {
        return await createMemory({ memory: fields, replace }, key);
      } catch (error) {
        if (!(error instanceof Problem) || error.code !== "conflict") throw error;
        const known = await similarMemory(fields).catch(() => null);
        throw known ? new SimilarMemory(error.document, known) : error;
      }
    },
    invalidates: [memoriesKey],
    onSuccess: onSaved,
  });
  const fields: NewMemory = {
    scope: shared ? "system" : "user",
    systemId: systemId || undefined,
    recallHint: recallHint.trim(),
    content: content.trim(),
    tags: parseList(tags),
    alwaysInject: always,
  };

  const asked = save.variables?.fields;
  const unchanged = asked?.recallHint === fields.recallHint && asked.systemId === fields.systemId;

  return (
    <FormDialog
      busy={save.isPending}
      error={save.error instanceof SimilarMemory ? null : save.error}
      onClose={onClose}
      onSubmit={() => save.mutate({ fields })}
      submitLabel={memory ? "Save" : "Add memory"}
      title={memory ? "Edit memory" : system ? `Add a memory to ${system.name}` : "Add a memory"}
    >
      {memory ? (
        <p className="text-sm text-muted-foreground">
          {memory.scope === "user"
            ? "Only you see it."
            : `Everybody who may see ${memory.systemName} sees it, with your name.`}
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
          hint={
            shared
              ? "Part of every prompt of yours; for others it stays something to search."
              : "Part of every prompt of yours."
          }
          label="Always include it"
          onChange={(event) => setAlways(event.currentTarget.checked)}
        />
      )}
      {save.error instanceof SimilarMemory && unchanged && (
        <SimilarNotice memory={save.error.memory} onReplace={() => save.mutate({ fields, replace: true })} />
      )}
    </FormDialog>
  );
}

/** Refuses a new memory because there is one for nearly the same. */
class SimilarMemory extends Problem {
  readonly memory: Memory;

  constructor(document: ProblemDocument, memory: Memory) {
    super(document);
    this.name = "SimilarMemory";
    this.memory = memory;
  }
}

function textOf({ recallHint, content, tags }: NewMemory) {
  return { recallHint, content, tags };
}

function reveal(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: "nearest" });
}

function SimilarNotice({ memory, onReplace }: { memory: Memory; onReplace: () => void }) {
  return (
    <div
      className="flex flex-col gap-2 rounded-lg bg-warning-soft px-3 py-2.5 text-sm text-warning"
      data-testid="similar-memory"
      ref={reveal}
      role="alert"
    >
      <p className="wrap-anywhere">
        You already have a memory for nearly the same: <strong>{memory.recallHint}</strong>
      </p>
      <p className="line-clamp-4 whitespace-pre-wrap wrap-anywhere">{memory.content}</p>
      <p>Choose another topic above, or put this one in its place.</p>
      <Button className="self-start" data-testid="replace-memory" onClick={onReplace}>
        Replace it
      </Button>
    </div>
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
