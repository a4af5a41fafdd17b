import { changeActions, ways, type ChangeFilter } from "../api/history";
import { typeLabel, type ObjectTypes } from "../history/objects";
import { actionLabels, wayLabels } from "../history/words";
import { Button } from "../ui/Button";
import { Choice, FilterForm } from "./FilterForm";

interface ChangeFiltersProps {
  filter: ChangeFilter;
  /** Undefined while they load. */
  types: ObjectTypes | undefined;
  objectName?: string;
  principalName?: string;
  programName?: string;
  onChange: (filter: ChangeFilter) => void;
}

export function ChangeFilters({ filter, types, objectName, principalName, programName, onChange }: ChangeFiltersProps) {
  const set = (change: ChangeFilter) => onChange({ ...filter, ...change });
  const listed = [...(types?.keys() ?? [])];
  const { objectType } = filter;
  const offered = objectType && !types?.has(objectType) ? [objectType, ...listed] : listed;
  const words = Object.fromEntries(offered.map((type) => [type, types ? typeLabel(types, type) : "…"]));
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
        onChange={(chosen) => set({ objectType: chosen, objectId: undefined })}
        value={objectType}
        values={offered}
        words={words}
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
