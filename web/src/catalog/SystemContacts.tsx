import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { addContact, catalogKey, removeContact, type Contact, type System } from "../api/catalog";
import { contactSchema, contactValues } from "../api/forms/system";
import { usersQuery } from "../api/people";
import { askingLabel, useAsks } from "../api/governed";
import { useWrite } from "../api/write";
import { Button } from "../ui/Button";
import { ComboboxField } from "../ui/Combobox";
import { SelectField, TextField } from "../ui/Field";
import { FormPage } from "../ui/FormPage";
import { useRecordForm } from "../ui/recordform";
import { IconButton } from "../ui/IconButton";
import { ErrorNotice } from "../ui/Notice";
import { Panel } from "../ui/Page";

interface SystemPanelProps {
  system: System;
  editable: boolean;
}

export function SystemContacts({ system, editable }: SystemPanelProps) {
  const [adding, setAdding] = useState(false);
  const asks = useAsks("catalog.removeSystemContact");
  const contacts = system.contacts ?? [];
  const remove = useWrite({
    send: (contactId: string, key) => removeContact(system.id, contactId, key),
    invalidates: [catalogKey],
  });
  return (
    <Panel
      actions={
        editable && (
          <Button icon="plus" onClick={() => setAdding(true)} variant="quiet">
            Add contact
          </Button>
        )
      }
      title="Contacts"
    >
      <ErrorNotice className="mb-2" error={remove.error} />
      {contacts.length === 0 && <p className="text-sm text-muted-foreground">Nobody is listed.</p>}
      <ul className="flex flex-col gap-1.5 text-sm">
        {contacts.map((contact) => (
          <li className="flex items-center gap-2" key={contact.id}>
            <span className="min-w-0 flex-1 wrap-anywhere">
              {contactName(contact)}
              {contact.label && <span className="text-muted-foreground"> · {contact.label}</span>}
            </span>
            {(contact.email || contact.userEmail) && (
              <a
                className="text-primary underline underline-offset-2"
                href={`mailto:${contact.email || contact.userEmail}`}
              >
                E-mail
              </a>
            )}
            {editable && (
              <IconButton
                disabled={remove.isPending || asks === "off"}
                icon="close"
                label={askingLabel(asks, `Remove ${contactName(contact)}`)}
                onClick={() => remove.mutate(contact.id)}
              />
            )}
          </li>
        ))}
      </ul>
      {adding && <ContactForm onClose={() => setAdding(false)} systemId={system.id} />}
    </Panel>
  );
}

function contactName(contact: Contact): string {
  if (contact.type === "mailbox") return contact.email ?? "";
  return contact.userName || "a person without an account";
}

function ContactForm({ systemId, onClose }: { systemId: string; onClose: () => void }) {
  const form = useRecordForm({
    tool: "catalog.addSystemContact",
    schema: contactSchema,
    values: contactValues,
    send: (contact, _, key) => addContact(systemId, contact, key),
    invalidates: [catalogKey],
    onSaved: onClose,
  });
  const mailbox = form.watch("type") === "mailbox";
  const { data: users, error } = useQuery({ ...usersQuery, enabled: !mailbox });
  return (
    <FormPage error={error} form={form} onClose={onClose} submitLabel="Add contact" title="Add contact">
      <SelectField label="Kind" {...form.field("type")}>
        <option value="mailbox">Mailbox</option>
        <option value="user">Person with an account</option>
      </SelectField>
      {mailbox ? (
        <TextField label="E-mail" required type="email" {...form.field("email")} />
      ) : (
        <ComboboxField
          control={form.control}
          label="Person"
          name="userId"
          options={users?.map(({ id, name, email }) => ({ value: id, label: name, detail: email }))}
          placeholder="Choose a person"
        />
      )}
      <TextField hint="Such as: on call, product owner." label="Label" {...form.field("label")} />
    </FormPage>
  );
}
