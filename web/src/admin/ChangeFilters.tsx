import { changeActions, ways, type ChangeFilter } from "../api/history";
import { actionLabels, objectTypes, typeLabel, wayLabels } from "../history/words";
import { Button } from "../ui/Button";
import { Choice, FilterForm } from "./FilterForm";

interface ChangeFiltersProps {
  filter: ChangeFilter;
  objectName?: string;
  principalName?: string;
  programName?: string;
  onChange: (filter: ChangeFilter) => void;
}

export function ChangeFilters({ filter, objectName, principalName, programName, onChange }: ChangeFiltersProps) {
  const set = (change: ChangeFilter) => onChange({ ...filter, ...change });
  const known = Object.keys(objectTypes).toSorted((a, b) => typeLabel(a).localeCompare(typeLabel(b), "en"));
  const types = filter.objectType && !known.includes(filter.objectType) ? [filter.objectType, ...known] : known;
  return (
    <FilterForm
      columns="lg:grid-cols-5"
      filter={filter}
      label="Search changes and sign-ins"
      narrowed={
        <>
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
          {filter.program && (
            <Button icon="close" onClick={() => set({ program: undefined })}>
              Only through {programName || "one program"}
            </Button>
          )}
          {filter.proposal && (
            <Button icon="close" onClick={() => set({ proposal: undefined })}>
              Only one proposal
            </Button>
          )}
        </>
      }
      onChange={set}
      placeholder="Name, person, summary or full id"
      testId="changes-search"
    >
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
        all="Any channel"
        label="Channel"
        onChange={(transport) => set({ transport })}
        value={filter.transport}
        values={ways}
        words={wayLabels}
      />
    </FilterForm>
  );
}
