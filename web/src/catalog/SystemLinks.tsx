import { useState } from "react";
import { catalogKey, type System } from "../api/catalog";
import { addLink, removeLink } from "../api/catalogcalls";
import { linkSchema } from "../api/forms/system";
import { askingLabel, useAsks } from "../api/governed";
import { useWrite } from "../api/write";
import { Button } from "../ui/Button";
import { TextField } from "../ui/Field";
import { FormPage } from "../ui/FormPage";
import { useRecordForm } from "../ui/recordform";
import { Icon } from "../ui/Icon";
import { IconButton } from "../ui/IconButton";
import { ErrorNotice } from "../ui/Notice";
import { Panel } from "../ui/Page";

export function SystemLinks({ system, editable }: { system: System; editable: boolean }) {
  const [adding, setAdding] = useState(false);
  const asks = useAsks("catalog.removeSystemLink");
  const links = system.links ?? [];
  const remove = useWrite({
    send: (linkId: string, key) => removeLink(system.id, linkId, key),
    invalidates: [catalogKey],
  });
  return (
    <Panel
      actions={
        editable && (
          <Button icon="plus" onClick={() => setAdding(true)} variant="quiet">
            Add link
          </Button>
        )
      }
      title="Links"
    >
      <ErrorNotice className="mb-2" error={remove.error} />
      {links.length === 0 && <p className="text-sm text-muted-foreground">No links.</p>}
      <ul className="flex flex-col gap-1.5 text-sm">
        {links.map((link) => (
          <li className="flex items-center gap-2" key={link.id}>
            <SafeLink label={link.label || link.url} url={link.url} />
            {editable && (
              <IconButton
                busy={remove.isPending}
                disabled={asks === "off"}
                icon="close"
                label={askingLabel(asks, `Remove ${link.label || link.url}`)}
                onClick={() => remove.mutate(link.id)}
              />
            )}
          </li>
        ))}
      </ul>
      {adding && <LinkForm onClose={() => setAdding(false)} systemId={system.id} />}
    </Panel>
  );
}

/** Stored text becomes a link only when it is a web address. */
function SafeLink({ label, url }: { label: string; url: string }) {
  if (!/^https?:\/\//i.test(url)) return <span className="min-w-0 flex-1 wrap-anywhere">{label}</span>;
  return (
    <span className="min-w-0 flex-1">
      <a
        className="inline-flex items-center gap-1 text-primary underline underline-offset-2 wrap-anywhere"
        href={url}
        rel="noopener noreferrer"
        target="_blank"
        title={url}
      >
        {label} <Icon name="external" size={13} />
      </a>
    </span>
  );
}

function LinkForm({ systemId, onClose }: { systemId: string; onClose: () => void }) {
  const form = useRecordForm({
    schema: linkSchema,
    tool: "catalog.addSystemLink",
    values: () => ({ url: "", label: "" }),
    send: (link, _, key) => addLink(systemId, link, key),
    invalidates: [catalogKey],
    onSaved: onClose,
  });
  return (
    <FormPage form={form} onClose={onClose} submitLabel="Add link" title="Add link">
      <TextField label="Address" placeholder="https://" required type="url" {...form.field("url")} />
      <TextField hint="Such as: runbook, dashboard." label="Label" {...form.field("label")} />
    </FormPage>
  );
}
