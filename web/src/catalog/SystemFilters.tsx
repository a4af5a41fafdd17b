import { useQuery } from "@tanstack/react-query";
import { environmentsQuery, groupsQuery, systemTagsQuery, type SystemFilter } from "../api/catalog";
import { teamsQuery } from "../api/teams";
import { SelectFilter } from "../ui/Filters";

interface Named {
  id: string;
  name: string;
}

interface SystemFiltersProps {
  filter: SystemFilter;
  onChange: (change: SystemFilter) => void;
}

/** The choices by which the list of systems is narrowed. */
export function SystemFilters({ filter, onChange }: SystemFiltersProps) {
  const { data: teams } = useQuery(teamsQuery);
  const { data: groups } = useQuery(groupsQuery);
  const { data: environments } = useQuery(environmentsQuery);
  const { data: tags } = useQuery(systemTagsQuery);
  return (
    <>
      <NamedFilter
        items={teams}
        label="Team"
        onChange={(teamId) => onChange({ teamId })}
        testId="system-team"
        value={filter.teamId}
      />
      <NamedFilter
        items={tags?.map((tag) => ({ id: tag, name: tag }))}
        label="Tag"
        onChange={(tag) => onChange({ tag })}
        testId="system-tag"
        value={filter.tag}
      />
      <NamedFilter
        items={groups}
        label="Group"
        onChange={(groupId) => onChange({ groupId })}
        testId="system-group"
        value={filter.groupId}
      />
      <NamedFilter
        items={environments}
        label="Environment"
        onChange={(environmentId) => onChange({ environmentId })}
        testId="system-environment"
        value={filter.environmentId}
      />
    </>
  );
}

interface NamedFilterProps {
  label: string;
  items: readonly Named[] | undefined;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
  testId: string;
}

function NamedFilter({ label, items, value, onChange, testId }: NamedFilterProps) {
  const options = (items ?? []).map(({ id, name }) => ({ value: id as string | undefined, label: name }));
  // A value from the address may not be among the options.
  if (value !== undefined && !options.some((option) => option.value === value))
    options.push({ value, label: label === "Tag" ? value : `A ${label.toLowerCase()}` });
  if (options.length === 0) return null;
  const any = { value: undefined, label: `Any ${label.toLowerCase()}` };
  return <SelectFilter label={label} onChange={onChange} options={[any, ...options]} testId={testId} value={value} />;
}
