import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { catalogKey, type Contact, type System } from "../api/catalog";
import { addContact, removeContact } from "../api/catalogcalls";
import { usePeople } from "../api/findpeople";
import { contactLink, contactSchema, contactValues } from "../api/forms/system";
import { askingLabel, useAsks } from "../api/governed";
import { holds, meQuery } from "../api/session";
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
      {contacts.length === 0 && <p className="text-sm text-muted-foreground">No contacts.</p>}
      <ul className="flex flex-col gap-1.5 text-sm">
        {contacts.map((contact) => (
          <li className="flex items-center gap-2" key={contact.id}>
            <span className="min-w-0 flex-1 wrap-anywhere">
              {contactName(contact)}
              {contact.label && <span className="text-muted-foreground"> · {contact.label}</span>}
            </span>
            <ContactLink contact={contact} />
            {editable && (
              <IconButton
                busy={remove.isPending}
                disabled={asks === "off"}
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

function ContactLink({ contact }: { contact: Contact }) {
  const link = contactLink(contact);
  if (!link) return null;
  const outside = link.href.startsWith("https:") ? { rel: "noopener noreferrer", target: "_blank" } : {};
  return (
    <a className="text-primary underline underline-offset-2" data-testid="contact-link" href={link.href} {...outside}>
      {link.label}
    </a>
  );
}

function contactName(contact: Contact): string {
  if (contact.type !== "user") return contact.email || contact.address || "";
  return contact.userName || "a person without an account";
}

const addressLabels = { phone: "Number", chat: "Address of the room", pager: "Number or address" };
const addressHints = {
  phone: "Such as +49 30 1234567.",
  chat: "Starts with https://.",
  pager: "A telephone number, or the https:// address of the on-call service.",
};

function ContactForm({ systemId, onClose }: { systemId: string; onClose: () => void }) {
  const form = useRecordForm({
    tool: "catalog.addSystemContact",
    schema: contactSchema,
    values: contactValues,
    send: (contact, _, key) => addContact(systemId, contact, key),
    invalidates: [catalogKey],
    onSaved: onClose,
  });
  const type = form.watch("type");
  const { data: me } = useQuery(meQuery);
  const { people, onType, looking, error } = usePeople(type === "user");
  return (
    <FormPage error={error} form={form} onClose={onClose} submitLabel="Add contact" title="Add contact">
      <SelectField label="Kind" {...form.field("type")}>
        <option value="mailbox">Mailbox</option>
        {/* Who they are is read by those alone who look after accounts. */}
        {holds(me, "auth.users.manage") && <option value="user">Person with an account</option>}
        <option value="phone">Telephone</option>
        <option value="chat">Chat room</option>
        <option value="pager">Pager</option>
      </SelectField>
      {type === "mailbox" && <TextField label="E-mail" required type="email" {...form.field("email")} />}
      {(type === "phone" || type === "chat" || type === "pager") && (
        <TextField hint={addressHints[type]} label={addressLabels[type]} required {...form.field("address")} />
      )}
      {type === "user" && (
        <ComboboxField
          control={form.control}
          label="Person"
          looking={looking}
          name="userId"
          onType={onType}
          options={people?.map(({ id, name, email }) => ({ value: id, label: name, detail: email }))}
          placeholder="Choose a person"
        />
      )}
      <TextField hint="Such as: on call, product owner." label="Label" {...form.field("label")} />
    </FormPage>
  );
}
