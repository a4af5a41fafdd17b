import { useFieldArray } from "react-hook-form";
import {
  createSkill,
  skillsKey,
  updateSkill,
  type FieldType,
  type Skill,
  type SkillFields,
  type SkillTarget,
} from "../api/skills";
import { Button } from "../ui/Button";
import { ChoicesField } from "../ui/ChoicesField";
import { SelectField, TextArea, TextField } from "../ui/Field";
import { FormPage } from "../ui/FormPage";
import { IconButton } from "../ui/IconButton";
import { useRecordForm, type RecordForm } from "../ui/recordform";
import { draftOf, limits, newField, skillSchema, type SkillDraft } from "./draft";

interface SkillFormProps {
  /** The skill to change; without it the form publishes a new one. */
  skill?: Skill;
  initial: SkillDraft;
  onClose: () => void;
  onSaved: (skill: Skill) => void;
}

const targetOptions: { id: SkillTarget; label: string; hint: string }[] = [
  { id: "chat", label: "Chat", hint: "Users choose it for a chat." },
  { id: "ai_analyze", label: "Analysis", hint: "An automation uses it to judge an event." },
];
const fieldTypes: { value: FieldType; label: string }[] = [
  { value: "string", label: "Text" },
  { value: "number", label: "Number" },
  { value: "boolean", label: "Yes or no" },
  { value: "enum", label: "One of" },
];

export function SkillForm({ skill, initial, onClose, onSaved }: SkillFormProps) {
  const form = useRecordForm({
    schema: skillSchema,
    item: skill,
    values: (now) => (now ? draftOf(now) : initial),
    send: (fields, began, key) => (began ? updateSkill(began, fields, key) : createSkill(fields, key)),
    invalidates: [skillsKey],
    onSaved,
  });
  const [targets, systemPrompt, promptTemplate] = form.watch(["targets", "systemPrompt", "promptTemplate"]);
  const forChat = targets.includes("chat");
  const forAnalysis = targets.includes("ai_analyze");
  return (
    <FormPage
      form={form}
      onClose={onClose}
      submitLabel={skill ? "Save" : "Publish skill"}
      title={skill ? `Edit ${skill.name}` : "New skill"}
      wide
    >
      <p className="text-sm text-muted-foreground">
        Everybody with access to skills sees it with your name. Do not include secrets.
      </p>
      <TextField label="Name" maxLength={limits.name} required {...form.field("name")} />
      <TextField
        hint="One sentence that helps people choose it."
        label="Description"
        maxLength={limits.description}
        required
        {...form.field("description")}
      />
      <ChoicesField control={form.control} legend="Use it for" name="targets" options={targetOptions} />
      <TextArea
        hint={<Count text={systemPrompt}>Tell the assistant what to find out, how to answer and what to avoid.</Count>}
        label="Instructions"
        required={forChat}
        rows={12}
        {...form.field("systemPrompt")}
      />
      <TextArea
        hint={<Count text={promptTemplate}>{templateHint(forChat, forAnalysis)}</Count>}
        label={forAnalysis ? "Question (optional)" : "Beginning of the message (optional)"}
        {...form.field("promptTemplate")}
      />
      {forAnalysis && <FieldsEditor form={form} />}
      <TextField hint="Separated by commas." label="Tags" {...form.field("tags")} />
    </FormPage>
  );
}

function templateHint(forChat: boolean, forAnalysis: boolean): string {
  const chat = "Fills the empty message box of a chat.";
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

function FieldsEditor({ form }: { form: RecordForm<SkillDraft, SkillFields> }) {
  const { fields, append, remove } = useFieldArray({ control: form.control, name: "fields", keyName: "formKey" });
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-1 text-sm font-medium">Values of the answer</legend>
      {fields.length === 0 && (
        <p className="text-sm text-muted-foreground">Without values the analysis answers with text only.</p>
      )}
      {fields.map((field, index) => (
        <div className="flex flex-col gap-2 rounded-lg border p-3" data-testid="field-editor" key={field.formKey}>
          <div className="flex items-start gap-2">
            <div className="min-w-0 flex-1">
              <TextField
                label="Name"
                maxLength={64}
                placeholder="likely_cause"
                required
                title="Letters, digits and underscores, beginning with a letter"
                {...form.field(`fields.${index}.key`)}
              />
            </div>
            <div className="w-32">
              <SelectField label="Type" {...form.field(`fields.${index}.type`)}>
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
              label={`Remove value ${form.watch(`fields.${index}.key`) || index + 1}`}
              onClick={() => remove(index)}
            />
          </div>
          <TextField
            label="Description of the value"
            maxLength={limits.description}
            required
            {...form.field(`fields.${index}.description`)}
          />
          {form.watch(`fields.${index}.type`) === "enum" && (
            <TextArea
              hint="One per line."
              label="Allowed values"
              required
              rows={5}
              {...form.field(`fields.${index}.options`)}
            />
          )}
        </div>
      ))}
      <Button
        className="self-start"
        data-testid="add-field"
        disabled={fields.length >= limits.fields}
        icon="plus"
        onClick={() => append(newField(form.getValues("fields")))}
      >
        Add a value
      </Button>
    </fieldset>
  );
}
