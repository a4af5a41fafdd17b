import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useController } from "react-hook-form";
import { mergeSchema } from "../api/forms/incident";
import { incidentSearchQuery, incidentsKey, type Incident } from "../api/incidents";
import { mergeIncident } from "../api/incidentcalls";
import { Combobox } from "../ui/Combobox";
import { FormPage } from "../ui/FormPage";
import { useRecordForm } from "../ui/recordform";

/** Debounce of the search while typing, in ms. */
const typing = 200;

interface MergeFormProps {
  incident: Incident;
  onClose: () => void;
  onMerged: (into: string) => void;
}

/** Merges an incident into an open one, which stays and gets its systems. */
export function MergeForm({ incident, onClose, onMerged }: MergeFormProps) {
  const form = useRecordForm({
    tool: "incident.merge",
    schema: mergeSchema,
    values: () => ({ into: "" }),
    send: async ({ into }, _, key) => {
      await mergeIncident(incident.id, into, key);
      return into;
    },
    invalidates: [incidentsKey],
    onSaved: onMerged,
  });
  const { field, fieldState } = useController({ control: form.control, name: "into" });
  const [typed, setTyped] = useState("");
  const [wanted, setWanted] = useState("");
  useEffect(() => {
    const timer = window.setTimeout(() => setWanted(typed.trim()), typing);
    return () => window.clearTimeout(timer);
  }, [typed]);
  const { data: found } = useQuery({ ...incidentSearchQuery(wanted), placeholderData: keepPreviousData });
  const [chosen, setChosen] = useState<{ value: string; label: string } | null>(null);
  return (
    <FormPage form={form} onClose={onClose} submitLabel="Merge" title={`Merge ${incident.title}`}>
      <p className="text-sm text-muted-foreground">
        It is resolved as a duplicate, and the other incident gets its systems.
      </p>
      <Combobox
        chosen={chosen}
        issue={fieldState.error?.message}
        label="Incident that stays"
        name="into"
        onChoose={(option) => {
          setChosen(option);
          field.onChange(option?.value ?? "");
        }}
        onSearch={setTyped}
        options={found?.filter(({ id }) => id !== incident.id).map(({ id, title }) => ({ value: id, label: title }))}
        placeholder="Search open incidents"
        required
      />
    </FormPage>
  );
}
