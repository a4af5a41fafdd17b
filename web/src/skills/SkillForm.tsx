import { useState } from "react";
import {
  createSkill,
  skillsKey,
  updateSkill,
  type FieldType,
  type Skill,
  type SkillFields,
  type SkillTarget,
} from "../api/skills";
import { useWrite } from "../api/write";
import { Button } from "../ui/Button";
import { Choices, SelectField, TextArea, TextField } from "../ui/Field";
import { FormDialog } from "../ui/FormDialog";
import { IconButton } from "../ui/IconButton";
import { fieldsOf, limits, newField, type FieldDraft, type SkillDraft } from "./draft";

interface SkillFormProps {
  /** The skill to change; without it the form publishes a new one. */
  skill?: Skill;
  initial: SkillDraft;
  onClose: () => void;
  onSaved: (skill: Skill) => void;
}

const targetOptions: { id: SkillTarget; label: string; hint: string }[] = [
  { id: "chat", label: "Chat", hint: "People choose it for a conversation." },
  { id: "ai_analyze", label: "Analysis", hint: "An automation uses it to judge an event." },
];
const fieldTypes: { value: FieldType; label: string }[] = [
  { value: "string", label: "Text" },
  { value: "number", label: "Number" },
  { value: "boolean", label: "Yes or no" },
  { value: "enum", label: "One of" },
];

export function SkillForm({ skill, initial, onClose, onSaved }: SkillFormProps) {
  const [draft, setDraft] = useState(initial);
  const edit = (changes: Partial<SkillDraft>) => setDraft((now) => ({ ...now, ...changes }));
  const forChat = draft.targets.includes("chat");
  const forAnalysis = draft.targets.includes("ai_analyze");
  const save = useWrite({
    send: (fields: SkillFields, key) => (skill ? updateSkill(skill, fields, key) : createSkill(fields, key)),
    invalidates: [skillsKey],
    onSuccess: onSaved,
  });

  return (
    <FormDialog
      busy={save.isPending}
      error={save.error}
      onClose={onClose}
      onSubmit={() => save.mutate(fieldsOf(draft))}
      submitLabel={skill ? "Save" : "Publish skill"}
      title={skill ? `Edit ${skill.name}` : "New skill"}
      wide
    >
      <p className="text-sm text-muted-foreground">
        Everybody who may use skills sees it with your name. Write nothing secret into it.
      </p>
      <TextField
        label="Name"
        maxLength={limits.name}
        name="name"
        onChange={(event) => edit({ name: event.currentTarget.value })}
        required
        value={draft.name}
      />
      <TextField
        hint="One sentence by which people choose it."
        label="Description"
        maxLength={limits.description}
        name="description"
        onChange={(event) => edit({ description: event.currentTarget.value })}
        required
        value={draft.description}
      />
      <Choices
        legend="Use it for"
        onChange={(targets) =>
          edit({ targets: targetOptions.map(({ id }) => id).filter((id) => targets.includes(id)) })
        }
        options={targetOptions}
        selected={draft.targets}
      />
      <TextArea
        hint={
          <Count text={draft.systemPrompt}>
            What the assistant follows: what to find out, in which order, how to answer, what to leave alone.
          </Count>
        }
        label="Instructions"
        name="systemPrompt"
        onChange={(event) => edit({ systemPrompt: event.currentTarget.value })}
        required={forChat}
        rows={12}
        value={draft.systemPrompt}
      />
      <TextArea
        hint={<Count text={draft.promptTemplate}>{templateHint(forChat, forAnalysis)}</Count>}
        label={forAnalysis ? "Question (optional)" : "Beginning of the message (optional)"}
        name="promptTemplate"
        onChange={(event) => edit({ promptTemplate: event.currentTarget.value })}
        value={draft.promptTemplate}
      />
      {forAnalysis && <FieldsEditor fields={draft.fields} onChange={(fields) => edit({ fields })} />}
      <TextField
        hint="Separated by commas."
        label="Tags"
        name="tags"
        onChange={(event) => edit({ tags: event.currentTarget.value })}
        value={draft.tags}
      />
    </FormDialog>
  );
}

function templateHint(forChat: boolean, forAnalysis: boolean): string {
  const chat = "In a chat it is put into the empty message box.";
  const analysis = "An analysis asks it; {{ … }} takes a value from the event.";
  return [forChat && chat, forAnalysis && analysis].filter(Boolean).join(" ");
}

function Count({ text, children }: { text: string; children: string }) {
  // The server counts characters, not UTF-16 units.
  const length = [...text].length;
  return (
    <span className="flex justify-between gap-3">
      <span>{children}</span>
      <span className={`whitespace-nowrap ${length > limits.prompt ? "font-medium text-danger" : ""}`}>
        {length.toLocaleString()} / {limits.prompt.toLocaleString()}
      </span>
    </span>
  );
}

function FieldsEditor({ fields, onChange }: { fields: FieldDraft[]; onChange: (fields: FieldDraft[]) => void }) {
  const edit = (row: number, changes: Partial<FieldDraft>) =>
    onChange(fields.map((field) => (field.row === row ? { ...field, ...changes } : field)));
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-1 text-sm font-medium">Values of the answer</legend>
      {fields.length === 0 && (
        <p className="text-sm text-muted-foreground">Without values the analysis answers with text only.</p>
      )}
      {fields.map((field, index) => (
        <div className="flex flex-col gap-2 rounded-lg border p-3" data-testid="field-editor" key={field.row}>
          <div className="flex items-start gap-2">
            <div className="min-w-0 flex-1">
              <TextField
                label="Name"
                maxLength={64}
                onChange={(event) => edit(field.row, { key: event.currentTarget.value })}
                pattern="[A-Za-z][A-Za-z0-9_]*"
                placeholder="likely_cause"
                required
                title="Letters, digits and underscores, beginning with a letter"
                value={field.key}
              />
            </div>
            <div className="w-32">
              <SelectField
                label="Type"
                onChange={(event) => {
                  const type = fieldTypes.find(({ value }) => value === event.currentTarget.value);
                  if (type) edit(field.row, { type: type.value });
                }}
                value={field.type}
              >
                {fieldTypes.map(({ value, label }) => (
                  <option key={value} value={value}>
                    {label}
                  </option>
                ))}
              </SelectField>
            </div>
            <IconButton
              className="mt-7"
              icon="trash"
              label={`Remove value ${field.key || index + 1}`}
              onClick={() => onChange(fields.filter(({ row }) => row !== field.row))}
            />
          </div>
          <TextField
            label="What belongs there"
            maxLength={limits.description}
            onChange={(event) => edit(field.row, { description: event.currentTarget.value })}
            required
            value={field.description}
          />
          {field.type === "enum" && (
            <TextArea
              hint="One per line."
              label="Allowed values"
              onChange={(event) => edit(field.row, { options: event.currentTarget.value })}
              required
              rows={5}
              value={field.options}
            />
          )}
        </div>
      ))}
      <Button
        className="self-start"
        data-testid="add-field"
        disabled={fields.length >= limits.fields}
        icon="plus"
        onClick={() => onChange([...fields, newField(fields)])}
      >
        Add a value
      </Button>
    </fieldset>
  );
}
