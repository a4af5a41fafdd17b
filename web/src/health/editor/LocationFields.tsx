import { useQuery } from "@tanstack/react-query";
import { locationsQuery, type Location } from "../../api/health";
import { Choices, SelectField } from "../../ui/Field";
import { Panel } from "../../ui/Page";
import type { Issues } from "../form/issues";
import { ruleWords } from "../locations";
import type { LocationRule } from "./draft";

interface LocationFieldsProps {
  locations: string[];
  rule: LocationRule;
  issues: Issues;
  onChange: (change: { locations?: string[]; locationRule?: LocationRule }) => void;
}

/** The locations for which a label such as region=eu stands now. */
const withLabel = (known: Location[], name: string) =>
  `Now ${known
    .filter(({ labels }) => Object.entries(labels).some(([label, value]) => `${label}=${value}` === name))
    .map((one) => one.name)
    .join(", ")}; later ones too`;

/** From where a check runs. There is nothing to choose before a probe has started somewhere. */
export function LocationFields({ locations, rule, issues, onChange }: LocationFieldsProps) {
  const { data: known } = useQuery(locationsQuery);
  if (!known || (known.length < 2 && locations.length === 0)) return null;
  const labels = known.flatMap((location) =>
    Object.entries(location.labels).map(([label, value]) => `${label}=${value}`),
  );
  const names = [...new Set([...known.map(({ name }) => name), ...labels.toSorted(), ...locations])];
  const issue = [...issues].find(([path]) => path.startsWith("locations"))?.[1];
  return (
    <Panel title="Locations">
      <p className="mb-3 text-sm text-muted-foreground">Choose nothing to run it from main alone.</p>
      <div className="flex flex-col gap-4">
        <Choices
          issue={issue}
          legend="Runs from"
          onChange={(chosen) => onChange({ locations: names.filter((name) => chosen.includes(name)) })}
          options={names.map((name) => {
            const location = known.find((one) => one.name === name);
            if (!location && labels.includes(name))
              return { id: name, label: `All with ${name}`, hint: withLabel(known, name) };
            const own = Object.entries(location?.labels ?? {}).map(([label, value]) => `${label}: ${value}`);
            return {
              id: name,
              label: name,
              hint: [location?.alive ? "" : "No probe is running there", ...own].filter(Boolean).join(", "),
            };
          })}
          selected={locations}
        />
        {(locations.length > 1 || locations.some((name) => labels.includes(name))) && (
          <SelectField
            hint="Down from fewer, it is degraded."
            issue={issues.get("locationRule")}
            label="Unhealthy when it is down from"
            name="locationRule"
            onChange={(event) => onChange({ locationRule: event.currentTarget.value as LocationRule })}
            value={rule}
          >
            {Object.entries(ruleWords).map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </SelectField>
        )}
      </div>
    </Panel>
  );
}
