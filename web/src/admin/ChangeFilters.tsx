import { useEffect, useState } from "react";
import { changeActions, ways, type ChangeFilter } from "../api/history";
import { actionLabels, objectTypes, wayLabels } from "../history/words";
import { Button } from "../ui/Button";
import { TextField } from "../ui/Field";
import { Icon } from "../ui/Icon";
import { Choice } from "./AuditFilters";

const typingPauseMilliseconds = 300;

interface ChangeFiltersProps {
  filter: ChangeFilter;
  objectName?: string;
  principalName?: string;
  onChange: (filter: ChangeFilter) => void;
}

export function ChangeFilters({ filter, objectName, principalName, onChange }: ChangeFiltersProps) {
  const [text, setText] = useState(filter.text ?? "");
  const set = (change: ChangeFilter) => onChange({ ...filter, ...change });
  useEffect(() => {
    if (text === (filter.text ?? "")) return;
    const timer = window.setTimeout(() => onChange({ ...filter, text: text || undefined }), typingPauseMilliseconds);
    return () => window.clearTimeout(timer);
  }, [text, filter, onChange]);
  const known = Object.keys(objectTypes);
  const types = filter.objectType && !known.includes(filter.objectType) ? [filter.objectType, ...known] : known;
  return (
    <form
      aria-label="Filters"
      className="flex flex-col gap-3"
      onSubmit={(event) => event.preventDefault()}
      role="search"
    >
      <label className="relative block">
        <span className="sr-only">Search changes and sign-ins</span>
        <Icon className="absolute top-2.5 left-3 text-muted-foreground" name="search" size={16} />
        <input
          className="w-full rounded-lg border border-input bg-card py-2 pr-3 pl-9 text-sm"
          data-testid="changes-search"
          maxLength={200}
          onChange={(event) => setText(event.currentTarget.value)}
          placeholder="Name, person, words of a summary, or a whole id"
          type="search"
          value={text}
        />
      </label>
      <div className="grid grid-cols-2 gap-3 sm:grid-cols-3 lg:grid-cols-5">
        <Choice
          all="Any object"
          label="Object"
          onChange={(objectType) => set({ objectType, objectId: undefined })}
          value={filter.objectType}
          values={types}
          words={objectTypes}
        />
        <Choice
          all="Any action"
          label="Action"
          onChange={(action) => set({ action })}
          value={filter.action}
          values={changeActions}
          words={actionLabels}
        />
        <Choice
          all="Any way"
          label="Way"
          onChange={(transport) => set({ transport })}
          value={filter.transport}
          values={ways}
          words={wayLabels}
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
      <div className="flex flex-wrap gap-2 empty:hidden">
        {filter.objectId && (
          <Button icon="close" onClick={() => set({ objectId: undefined })}>
            Only {objectName || "one object"}
          </Button>
        )}
        {filter.principal && (
          <Button icon="close" onClick={() => set({ principal: undefined })}>
            Only {principalName || "one person"}
          </Button>
        )}
        {filter.proposal && (
          <Button icon="close" onClick={() => set({ proposal: undefined })}>
            Only one proposal
          </Button>
        )}
      </div>
    </form>
  );
}
