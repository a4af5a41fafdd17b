import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { calledToolsQuery, callStatuses, effects, transports, type AuditFilter } from "../api/audit";
import { Button } from "../ui/Button";
import { SelectField, TextField } from "../ui/Field";
import { Icon } from "../ui/Icon";
import { transportLabels } from "./auditwords";

const typingPauseMilliseconds = 300;

interface AuditFiltersProps {
  filter: AuditFilter;
  principalName?: string;
  onChange: (filter: AuditFilter) => void;
}

export function AuditFilters({ filter, principalName, onChange }: AuditFiltersProps) {
  const { data: tools = [] } = useQuery(calledToolsQuery);
  const [text, setText] = useState(filter.text ?? "");
  const set = (change: AuditFilter) => onChange({ ...filter, ...change });
  useEffect(() => {
    if (text === (filter.text ?? "")) return;
    const timer = window.setTimeout(() => onChange({ ...filter, text: text || undefined }), typingPauseMilliseconds);
    return () => window.clearTimeout(timer);
  }, [text, filter, onChange]);
  const chosen = filter.tool && !tools.includes(filter.tool) ? [filter.tool, ...tools] : tools;
  return (
    <form
      aria-label="Filters"
      className="flex flex-col gap-3"
      onSubmit={(event) => event.preventDefault()}
      role="search"
    >
      <label className="relative block">
        <span className="sr-only">Search the audit log</span>
        <Icon className="absolute top-2.5 left-3 text-muted-foreground" name="search" size={16} />
        <input
          className="w-full rounded-lg border border-input bg-card py-2 pr-3 pl-9 text-sm"
          data-testid="audit-search"
          maxLength={200}
          onChange={(event) => setText(event.currentTarget.value)}
          placeholder="Tool, person, error code, or a whole id or hash"
          type="search"
          value={text}
        />
      </label>
      <div className="grid grid-cols-2 gap-3 sm:grid-cols-3 lg:grid-cols-6">
        <Choice
          all="Any way"
          label="Way"
          onChange={(transport) => set({ transport })}
          value={filter.transport}
          values={transports}
          words={transportLabels}
        />
        <Choice all="Any tool" label="Tool" onChange={(tool) => set({ tool })} value={filter.tool} values={chosen} />
        <Choice
          all="Any effect"
          label="Effect"
          onChange={(effect) => set({ effect })}
          value={filter.effect}
          values={effects}
        />
        <Choice
          all="Any status"
          label="Status"
          onChange={(status) => set({ status })}
          value={filter.status}
          values={callStatuses}
        />
        <TextField
          label="From"
          max={filter.to}
          onChange={(event) => set({ from: event.currentTarget.value || undefined })}
          type="date"
          value={filter.from ?? ""}
        />
        <TextField
          label="To"
          min={filter.from}
          onChange={(event) => set({ to: event.currentTarget.value || undefined })}
          type="date"
          value={filter.to ?? ""}
        />
      </div>
      {filter.principal && (
        <div>
          <Button icon="close" onClick={() => set({ principal: undefined })}>
            Only {principalName || "one person"}
          </Button>
        </div>
      )}
    </form>
  );
}

export interface ChoiceProps<T extends string> {
  label: string;
  all: string;
  values: readonly T[];
  value: T | undefined;
  words?: Record<T, string>;
  onChange: (value: T | undefined) => void;
}

export function Choice<T extends string>({ label, all, values, value, words, onChange }: ChoiceProps<T>) {
  return (
    <SelectField
      label={label}
      onChange={(event) => onChange(values.find((known) => known === event.currentTarget.value))}
      value={value ?? ""}
    >
      <option value="">{all}</option>
      {values.map((known) => (
        <option key={known} value={known}>
          {words?.[known] ?? known}
        </option>
      ))}
    </SelectField>
  );
}
