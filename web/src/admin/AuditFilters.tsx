import { useQuery } from "@tanstack/react-query";
import { calledToolsQuery, callStatuses, effects, transports, type AuditFilter } from "../api/audit";
import { Button } from "../ui/Button";
import { Choice, FilterForm } from "./FilterForm";
import { transportLabels } from "./auditwords";

interface AuditFiltersProps {
  filter: AuditFilter;
  principalName?: string;
  programName?: string;
  onChange: (filter: AuditFilter) => void;
}

export function AuditFilters({ filter, principalName, programName, onChange }: AuditFiltersProps) {
  const { data: tools = [] } = useQuery(calledToolsQuery);
  const set = (change: AuditFilter) => onChange({ ...filter, ...change });
  const chosen = filter.tool && !tools.includes(filter.tool) ? [filter.tool, ...tools] : tools;
  return (
    <FilterForm
      columns="lg:grid-cols-6"
      filter={filter}
      label="Search the audit log"
      narrowed={
        <>
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
        </>
      }
      onChange={set}
      placeholder="Tool, person, error code, or full id or hash"
      testId="audit-search"
    >
      <Choice
        all="Any channel"
        label="Channel"
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
    </FilterForm>
  );
}
