import { useState } from "react";
import { incidentLinkSchema } from "../api/forms/incident";
import { askingLabel, useAsks } from "../api/governed";
import { incidentsKey, type Incident, type Visibility } from "../api/incidents";
import { addIncidentLink, removeIncidentLink } from "../api/incidentcalls";
import { useWrite } from "../api/write";
import { Badge } from "../ui/Badge";
import { Button } from "../ui/Button";
import { SelectField, TextField } from "../ui/Field";
import { FormPage } from "../ui/FormPage";
import { Icon } from "../ui/Icon";
import { IconButton } from "../ui/IconButton";
import { ErrorNotice } from "../ui/Notice";
import { Panel } from "../ui/Page";
import { useRecordForm } from "../ui/recordform";
import { visibilityLabels } from "./words";

export function IncidentLinks({ incident, editable }: { incident: Incident; editable: boolean }) {
  const [adding, setAdding] = useState(false);
  const asks = useAsks("incident.removeLink");
  const remove = useWrite({
    send: (linkId: string, key) => removeIncidentLink(incident.id, linkId, key),
    invalidates: [incidentsKey],
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
      {incident.links.length === 0 && <p className="text-sm text-muted-foreground">No links.</p>}
      <ul className="flex flex-col gap-1.5 text-sm">
        {incident.links.map((link) => (
          <li className="flex items-center gap-2" key={link.id}>
            <span className="min-w-0 flex-1">
              <a
                className="text-primary underline underline-offset-2 wrap-anywhere"
                href={link.url}
                rel="noopener noreferrer"
                target="_blank"
                title={link.url}
              >
                {link.label || link.url} <Icon name="external" size={13} />
              </a>
            </span>
            {link.visibility !== "public" && <Badge>{visibilityLabels[link.visibility]}</Badge>}
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
      {adding && <LinkForm incident={incident} onClose={() => setAdding(false)} />}
    </Panel>
  );
}

function LinkForm({ incident, onClose }: { incident: Incident; onClose: () => void }) {
  const form = useRecordForm({
    schema: incidentLinkSchema,
    tool: "incident.addLink",
    values: () => ({ url: "", label: "", visibility: "public" as Visibility }),
    send: (link, _, key) => addIncidentLink(incident.id, link, key),
    invalidates: [incidentsKey],
    onSaved: onClose,
  });
  return (
    <FormPage form={form} onClose={onClose} submitLabel="Add link" title="Add a link">
      <TextField label="Address" placeholder="https://" required type="url" {...form.field("url")} />
      <TextField hint="Such as: dashboard, ticket, call." label="Label" maxLength={120} {...form.field("label")} />
      <SelectField label="Who sees it" {...form.field("visibility")}>
        {Object.entries(visibilityLabels).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </SelectField>
    </FormPage>
  );
}
