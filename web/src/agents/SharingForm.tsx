import { useQuery } from "@tanstack/react-query";
import type { QueryKey } from "@tanstack/react-query";
import { useRef } from "react";
import { useFieldArray } from "react-hook-form";
import { usePeople } from "../api/findpeople";
import { grantsKey, setGrants, type Grant, type Grants, type Relation } from "../api/grants";
import { holds, meQuery } from "../api/session";
import { applicationsQuery } from "../api/people";
import { teamsQuery } from "../api/teams";
import { Button } from "../ui/Button";
import { ComboboxField, type Option } from "../ui/Combobox";
import { Checkbox, SelectField } from "../ui/Field";
import { FormPage } from "../ui/FormPage";
import { IconButton } from "../ui/IconButton";
import { useRecordForm } from "../ui/recordform";
import { useToast } from "../ui/Toast";
import { accessOf, sharingSchema, subjectOf, subjectWords, type SharingFields } from "./sharing";

const sharingLabels = { grants: "Shared with" };

interface SharingFormProps {
  /** Object of the grants. */
  object: { type: string; id: string };
  name: string;
  grants: Grants;
  /** Descriptions of the relations. */
  relations: Record<Relation, string>;
  /** Effect of sharing an object that is not private. */
  hint: string;
  invalidates: QueryKey;
  /** A user who makes an ownerless object private becomes its owner: else they would lose access. */
  keepsOwn?: boolean;
  onClose: () => void;
}

/** With whom an object is shared, and whether it is closed to all others. */
export function SharingForm(props: SharingFormProps) {
  const { object, name, grants, relations, hint, invalidates, keepsOwn, onClose } = props;
  const { data: me } = useQuery(meQuery);
  const toast = useToast();
  const { options, label, onType, looking } = useSubjects(grants.grants);
  const form = useRecordForm({
    schema: sharingSchema,
    tool: "auth.setGrants",
    item: grants,
    values: (now): SharingFields => ({
      closed: now?.private ?? grants.private,
      grants: (now?.grants ?? []).map((grant) => ({ subject: subjectOf(grant), relation: grant.relation })),
    }),
    send: (fields, began, key) => setGrants(object.type, object.id, began ?? grants, accessOf(fields), key),
    invalidates: [grantsKey, invalidates],
    labels: sharingLabels,
    describe: (field, value) => {
      if (field !== "grants") return undefined;
      return (value as SharingFields["grants"])
        .map(({ subject, relation }) => {
          const known = options.find((option) => option.value === subject);
          return `${known?.label ?? "A deleted account"}: ${relations[relation]}`;
        })
        .join("\n");
    },
    onSaved: () => {
      toast("Sharing was saved");
      onClose();
    },
  });
  const adding = useRef<HTMLButtonElement>(null);
  const { fields, append, remove } = useFieldArray({ control: form.control, name: "grants", keyName: "formKey" });
  return (
    <FormPage form={form} onClose={onClose} submitLabel="Save" title={`Share ${name}`} wide>
      <Checkbox
        hint={hint}
        issue={form.field("closed").issue}
        label="Private: only those listed here"
        {...form.register("closed", {
          onChange: ({ target }: { target: HTMLInputElement }) => {
            if (!keepsOwn || !me || !target.checked) return;
            if (form.getValues("grants").some(({ relation }) => relation === "owner")) return;
            append({ subject: `user:${me.id}`, relation: "owner" }, { shouldFocus: false });
          },
        })}
      />
      {fields.map((field, index) => (
        <div
          className="flex flex-wrap items-start gap-2 rounded-lg border p-3"
          data-testid="grant-editor"
          key={field.formKey}
        >
          <div className="min-w-0 flex-1 basis-52">
            <ComboboxField
              control={form.control}
              label={label}
              looking={looking}
              name={`grants.${index}.subject`}
              onType={onType}
              options={options}
            />
          </div>
          <div className="w-32">
            <SelectField label="May" {...form.field(`grants.${index}.relation`)}>
              {Object.entries(relations).map(([relation, words]) => (
                <option key={relation} value={relation}>
                  {words}
                </option>
              ))}
            </SelectField>
          </div>
          <IconButton
            className="mt-7"
            icon="trash"
            label={`Remove grant ${index + 1}`}
            onClick={() => {
              remove(index);
              // The button is gone with the grant.
              adding.current?.focus();
            }}
          />
        </div>
      ))}
      <Button
        className="self-start"
        data-testid="add-grant"
        icon="plus"
        ref={adding}
        onClick={() => append({ subject: "", relation: "viewer" }, { focusName: `grants.${fields.length}.subject` })}
      >
        Add access
      </Button>
    </FormPage>
  );
}

/** Candidates for sharing: visible teams, people and applications, and the current members. */
function useSubjects(present: readonly Grant[]) {
  const { data: me } = useQuery(meQuery);
  const { data: teams } = useQuery(teamsQuery);
  const seesApplications = holds(me, "auth.applications.manage");
  const { data: applications } = useQuery({ ...applicationsQuery, enabled: seesApplications });
  const { people, onType, looking } = usePeople(holds(me, "auth.users.manage"));
  const options = new Map<string, Option>();
  const offer = (option: Option) => options.set(option.value, option);
  for (const grant of present) offer({ value: subjectOf(grant), label: subjectWords(grant) });
  for (const { id, name } of teams ?? []) offer({ value: `team:${id}`, label: `${name} (team)` });
  if (me) offer({ value: `user:${me.id}`, label: me.name, detail: me.email });
  for (const { id, name, email } of people ?? []) offer({ value: `user:${id}`, label: name, detail: email });
  for (const { id, name } of (seesApplications && applications) || [])
    offer({ value: `application:${id}`, label: `${name} (application)` });
  const label = seesApplications ? "Person, team or application" : "Person or team";
  return { options: [...options.values()], label, onType, looking };
}
