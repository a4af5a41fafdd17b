import { catalogKey, type Environment, type Group, type NamedFields } from "../api/catalog";
import { createEnvironment, createGroup, updateEnvironment, updateGroup } from "../api/catalogcalls";
import { namedSchema, namedValues } from "../api/forms/named";
import { createTeam, updateTeam, type Team } from "../api/teams";
import { TextArea, TextField } from "../ui/Field";
import { FormPage } from "../ui/FormPage";
import { useRecordForm } from "../ui/recordform";
import { useToast } from "../ui/Toast";

/** How one kind of named thing is written. */
export interface NamedKind<Item> {
  noun: string;
  create: (fields: NamedFields, idempotencyKey: string) => Promise<unknown>;
  update: (item: Item, fields: NamedFields, idempotencyKey: string) => Promise<unknown>;
  withFields?: boolean;
}

export const groupKind: NamedKind<Group> = { noun: "group", create: createGroup, update: updateGroup };

export const environmentKind: NamedKind<Environment> = {
  noun: "environment",
  create: createEnvironment,
  update: updateEnvironment,
  withFields: true,
};

export const teamKind: NamedKind<Team> = { noun: "team", create: createTeam, update: updateTeam };

/** Warning before a team is deleted. */
export const teamDeletion =
  "A team that owns systems cannot be deleted: change their owner first. This cannot be undone.";

interface NamedFormProps<Item> {
  kind: NamedKind<Item>;
  /** The thing to change; without it the form makes a new one. */
  item?: Item;
  onClose: () => void;
}

/** The tool that saves a group or an environment; teams have none. */
function toolOf(noun: string, exists: boolean): string | undefined {
  if (noun !== "group" && noun !== "environment") return undefined;
  return `catalog.${exists ? "update" : "create"}${noun === "group" ? "Group" : "Environment"}`;
}

/** Form of groups, environments and teams. */
export function NamedForm<Item extends NamedFields & { revision: number }>({
  kind,
  item,
  onClose,
}: NamedFormProps<Item>) {
  const toast = useToast();
  const form = useRecordForm({
    schema: namedSchema(item?.fields),
    tool: toolOf(kind.noun, item !== undefined),
    item,
    values: namedValues,
    send: ({ fields, ...named }, began, key) => {
      const sent: NamedFields = kind.withFields ? { ...named, fields } : named;
      return began ? kind.update(began, sent, key) : kind.create(sent, key);
    },
    invalidates: [catalogKey],
    onSaved: (_, { name }) => {
      toast(`${name} was saved`);
      onClose();
    },
  });
  return (
    <FormPage
      form={form}
      onClose={onClose}
      submitLabel={item ? "Save" : "Create"}
      title={item ? `Edit ${item.name}` : `New ${kind.noun}`}
    >
      <TextField label="Name" required {...form.field("name")} />
      <TextArea label="Description" {...form.field("description")} />
      {kind.withFields && (
        <TextArea hint="One per line, such as: region = eu-west-1" label="Fields" {...form.field("fields")} />
      )}
    </FormPage>
  );
}
