import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { addContact, catalogKey, removeContact, type Contact, type NewContact, type System } from "../api/catalog";
import { usersQuery } from "../api/people";
import { useWrite } from "../api/write";
import { Button } from "../ui/Button";
import { SelectField, TextField } from "../ui/Field";
import { FormDialog } from "../ui/FormDialog";
import { IconButton } from "../ui/IconButton";
import { ErrorNotice } from "../ui/Notice";
import { Panel } from "../ui/Page";

interface SystemPanelProps {
  system: System;
  editable: boolean;
}

export function SystemContacts({ system, editable }: SystemPanelProps) {
  const [adding, setAdding] = useState(false);
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
                disabled={remove.isPending}
                icon="close"
                label={`Remove ${contactName(contact)}`}
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
  const [type, setType] = useState<NewContact["type"]>("mailbox");
  const { data: users, error: usersError } = useQuery({ ...usersQuery, enabled: type === "user" });
  const [label, setLabel] = useState("");
  const [email, setEmail] = useState("");
  const [userId, setUserId] = useState("");
  const add = useWrite({
    send: (contact: NewContact, key) => addContact(systemId, contact, key),
    invalidates: [catalogKey],
    onSuccess: onClose,
  });
  return (
    <FormDialog
      busy={add.isPending}
      error={add.error ?? usersError}
      onClose={onClose}
      onSubmit={() =>
        add.mutate(
          type === "user" ? { type, label: label.trim(), userId } : { type, label: label.trim(), email: email.trim() },
        )
      }
      submitLabel="Add contact"
      title="Add contact"
    >
      <SelectField
        label="Kind"
        onChange={(event) => setType(event.currentTarget.value === "user" ? "user" : "mailbox")}
        value={type}
      >
        <option value="mailbox">Mailbox</option>
        <option value="user">Person with an account</option>
      </SelectField>
      {type === "mailbox" ? (
        <TextField
          label="E-mail"
          onChange={(event) => setEmail(event.currentTarget.value)}
          required
          type="email"
          value={email}
        />
      ) : (
        <SelectField label="Person" onChange={(event) => setUserId(event.currentTarget.value)} required value={userId}>
          <option value="">Choose a person</option>
          {users?.map((user) => (
            <option key={user.id} value={user.id}>
              {user.name}
            </option>
          ))}
        </SelectField>
      )}
      <TextField
        hint="Such as: on call, product owner."
        label="Label"
        onChange={(event) => setLabel(event.currentTarget.value)}
        value={label}
      />
    </FormDialog>
  );
}
