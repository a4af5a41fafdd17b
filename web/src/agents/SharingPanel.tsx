import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { agentsKey, type Agent } from "../api/agents";
import { usePeople } from "../api/findpeople";
import { grantRules, grantsKey, grantsQuery, setGrants, type Grant, type Grants } from "../api/grants";
import { holds, meQuery } from "../api/session";
import { teamsQuery } from "../api/teams";
import { mayOwn } from "../catalog/permission";
import { Badge } from "../ui/Badge";
import { Button } from "../ui/Button";
import { ComboboxField, type Option } from "../ui/Combobox";
import { Checkbox, SelectField } from "../ui/Field";
import { FormPage } from "../ui/FormPage";
import { IconButton } from "../ui/IconButton";
import { ErrorNotice, SkeletonRows } from "../ui/Notice";
import { Panel } from "../ui/Page";
import { useFieldArray } from "react-hook-form";
import { useRecordForm } from "../ui/recordform";
import { useToast } from "../ui/Toast";
import { accessOf, relations, sharingSchema, subjectOf, subjectWords, type SharingFields } from "./sharing";

const objectType = "agent.agent";

/** With whom an agent is shared. */
export function SharingPanel({ agent }: { agent: Agent }) {
  const { data: me } = useQuery(meQuery);
  const managesTeams = holds(me, grantRules.manage);
  const reads = holds(me, grantRules.read) || managesTeams;
  const manages = managesTeams || mayOwn(agent);
  const { data, error, refetch } = useQuery({ ...grantsQuery(objectType, agent.id), enabled: reads });
  const [editing, setEditing] = useState(false);
  return (
    <Panel
      actions={
        manages &&
        data && (
          <Button data-testid="edit-sharing" icon="pencil" onClick={() => setEditing(true)} variant="quiet">
            Change
          </Button>
        )
      }
      title="Sharing"
    >
      <div className="flex flex-col gap-3 text-sm" data-testid="sharing">
        <p>
          {agent.private
            ? "The agent is private: only those listed here see and use it."
            : "Everybody who may see agents sees and uses it, and so do those listed here."}
        </p>
        <p className="text-muted-foreground">
          Viewers use its live tools. Editors also write its drafts. Owners also freeze, promote, archive, delete and
          share it.
        </p>
        {!reads && me && (
          <p className="text-muted-foreground">
            You are {agent.access === "viewer" ? "a viewer" : `an ${agent.access}`} of it. With whom else it is shared
            is seen by those who may see teams, and changed by its owners.
          </p>
        )}
        {reads &&
          !data &&
          (error ? <ErrorNotice error={error} onRetry={() => void refetch()} /> : <SkeletonRows rows={2} />)}
        {data && data.grants.length === 0 && <p className="text-muted-foreground">It is shared with nobody by name.</p>}
        {data && data.grants.length > 0 && (
          <ul aria-label="Shared with" className="divide-y rounded-lg border">
            {data.grants.map((grant) => (
              <li className="flex flex-wrap items-center gap-2 px-3 py-2" data-testid="grant" key={subjectOf(grant)}>
                <span className="min-w-0 flex-1 font-medium wrap-anywhere">{subjectWords(grant)}</span>
                <Badge>{relations[grant.relation]}</Badge>
              </li>
            ))}
          </ul>
        )}
        {managesTeams && (
          <p className="text-muted-foreground">Teams and what they may do are changed with the rule to manage teams.</p>
        )}
      </div>
      {editing && data && <SharingForm agent={agent} grants={data} onClose={() => setEditing(false)} />}
    </Panel>
  );
}

const sharingLabels = { grants: "Shared with" };

function SharingForm({ agent, grants, onClose }: { agent: Agent; grants: Grants; onClose: () => void }) {
  const toast = useToast();
  const { options, onType, looking } = useSubjects(grants.grants);
  const form = useRecordForm({
    schema: sharingSchema,
    tool: "auth.setGrants",
    item: grants,
    values: (now): SharingFields => ({
      closed: now?.private ?? agent.private,
      grants: (now?.grants ?? []).map((grant) => ({ subject: subjectOf(grant), relation: grant.relation })),
    }),
    send: (fields, began, key) => setGrants(objectType, agent.id, began ?? grants, accessOf(fields), key),
    invalidates: [grantsKey, agentsKey],
    labels: sharingLabels,
    describe: (name, value) => {
      if (name !== "grants") return undefined;
      return (value as SharingFields["grants"])
        .map(({ subject, relation }) => {
          const known = options.find((option) => option.value === subject);
          return `${known?.label ?? "Somebody who is gone"}: ${relations[relation]}`;
        })
        .join("\n");
    },
    onSaved: () => {
      toast("Sharing was saved");
      onClose();
    },
  });
  const { fields, append, remove } = useFieldArray({ control: form.control, name: "grants", keyName: "formKey" });
  return (
    <FormPage form={form} onClose={onClose} submitLabel="Save" title={`Share ${agent.name}`} wide>
      <Checkbox
        hint="Without this, everybody who may see agents sees and uses it."
        label="Private: only those listed here"
        {...form.register("closed")}
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
              label="Person or team"
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
          <IconButton className="mt-7" icon="trash" label={`Remove grant ${index + 1}`} onClick={() => remove(index)} />
        </div>
      ))}
      <Button
        className="self-start"
        data-testid="add-grant"
        icon="plus"
        onClick={() => append({ subject: "", relation: "viewer" }, { focusName: `grants.${fields.length}.subject` })}
      >
        Share with somebody
      </Button>
    </FormPage>
  );
}

/** Whom one can share with: teams, people as far as one may see them, and who is there already. */
function useSubjects(present: readonly Grant[]) {
  const { data: me } = useQuery(meQuery);
  const { data: teams } = useQuery(teamsQuery);
  const { people, onType, looking } = usePeople(holds(me, "auth.users.manage"));
  const options = new Map<string, Option>();
  const offer = (option: Option) => options.set(option.value, option);
  for (const grant of present) offer({ value: subjectOf(grant), label: subjectWords(grant) });
  for (const { id, name } of teams ?? []) offer({ value: `team:${id}`, label: `${name} (team)` });
  for (const { id, name, email } of people ?? []) offer({ value: `user:${id}`, label: name, detail: email });
  return { options: [...options.values()], onType, looking };
}
