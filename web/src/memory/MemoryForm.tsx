import { useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import { memorySchema, memoryValues } from "../api/forms/memory";
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
import { Button } from "../ui/Button";
import { Checkbox, SelectField, TextArea, TextField } from "../ui/Field";
import { FormPage } from "../ui/FormPage";
import { useRecordForm, type RecordForm } from "../ui/recordform";
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
  // Set by the button that takes the new memory in place of one for nearly the same.
  const replacing = useRef(false);
  const form = useRecordForm({
    tool: "ai.saveMemory",
    schema: memorySchema,
    item: memory,
    values: (now) => memoryValues(now, system?.id),
    send: async (fields, began, key) => {
      if (began) return updateMemory(began, textOf(fields), key);
      try {
        return await createMemory({ memory: fields, replace: replacing.current || undefined }, key);
      } catch (error) {
        if (!(error instanceof Problem) || error.code !== "conflict") throw error;
        const known = await similarMemory(fields).catch(() => null);
        throw known ? new SimilarMemory(error.document, known, fields) : error;
      } finally {
        replacing.current = false;
      }
    },
    invalidates: [memoriesKey],
    onSaved,
  });
  const [systemId, recallHint, content] = form.watch(["systemId", "recallHint", "content"]);
  const similar = form.error instanceof SimilarMemory ? form.error : null;
  const unchanged = similar?.asked.recallHint === recallHint.trim() && (similar.asked.systemId ?? "") === systemId;
  const shared = systemId !== "";

  return (
    <FormPage
      form={form}
      onClose={onClose}
      quiet={similar !== null}
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
        !system && <ScopeField field={form.field("systemId")} shared={shared} />
      )}
      <TextField
        hint="The topic it is found by, such as: deploy window of payments."
        label="When to recall it"
        maxLength={limits.recallHint}
        required
        {...form.field("recallHint")}
      />
      <TextArea
        hint={`${shared ? "Others read it. " : ""}Do not include passwords or keys. ${content.length} of ${limits.content} characters.`}
        label="What to recall"
        maxLength={limits.content}
        required
        rows={4}
        {...form.field("content")}
      />
      <TextField hint="Separated by commas." label="Tags (optional)" {...form.field("tags")} />
      {memory && memory.scope === "system" && !memory.own && (
        <p className="text-xs text-muted-foreground">
          A changed text is removed from the prompts of {memory.ownerName}.
        </p>
      )}
      {!memory && (
        <Checkbox
          hint={shared ? "Added to all your prompts; others can search it." : "Added to all your prompts."}
          label="Always include it"
          {...form.register("alwaysInject")}
        />
      )}
      {similar && unchanged && (
        <SimilarNotice
          memory={similar.memory}
          onReplace={() => {
            replacing.current = true;
            form.submit();
          }}
        />
      )}
    </FormPage>
  );
}

/** Refuses a new memory because there is one for nearly the same. */
class SimilarMemory extends Problem {
  readonly memory: Memory;
  readonly asked: NewMemory;

  constructor(document: ProblemDocument, memory: Memory, asked: NewMemory) {
    super(document);
    this.name = "SimilarMemory";
    this.memory = memory;
    this.asked = asked;
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
        You already have a similar memory: <strong>{memory.recallHint}</strong>
      </p>
      <p className="line-clamp-4 whitespace-pre-wrap wrap-anywhere">{memory.content}</p>
      <p>Choose another topic above, or replace it.</p>
      <Button className="self-start" data-testid="replace-memory" onClick={onReplace}>
        Replace it
      </Button>
    </div>
  );
}

interface ScopeFieldProps {
  field: ReturnType<RecordForm<ReturnType<typeof memoryValues>, NewMemory>["field"]>;
  shared: boolean;
}

function ScopeField({ field, shared }: ScopeFieldProps) {
  const { data: systems } = useQuery(shareableSystemsQuery);
  return (
    <SelectField
      hint={shared ? "Everybody who may see this system sees the memory, with your name." : "Only you see the memory."}
      label="For"
      {...field}
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
