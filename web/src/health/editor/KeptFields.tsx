import type { StrategyKind } from "../../api/health";
import { Choices } from "../../ui/Field";
import { Panel } from "../../ui/Page";
import { labelOf, type Schema } from "../form/schema";
import type { Issues } from "../form/issues";
import type { DraftCollector } from "./draft";

/** As many fields as the server keeps of a run. */
const most = 8;

/** Fields to choose from: those of collectors' results that are a number or a boolean. */
export function keepableFields(collectors: readonly DraftCollector[], strategy: StrategyKind | undefined) {
  const several = collectors.length > 1;
  return collectors.flatMap(({ id, collectorId }, index) => {
    const kind = strategy?.collectors.find((one) => one.id === collectorId);
    const { properties = {} } = (kind?.resultSchema ?? {}) as Schema;
    return Object.entries(properties)
      .filter(([, field]) => isKept(field))
      .map(([name, field]) => ({
        id: `${id}.${name}`,
        label: labelOf(name, field),
        hint: several ? `${kind?.name ?? collectorId}, number ${index + 1}` : undefined,
        byDefault: field["x-keep"] === true,
      }));
  });
}

const isKept = ({ type }: Schema) =>
  [type].flat().some((one) => one === "number" || one === "integer" || one === "boolean");

interface KeptFieldsProps {
  collectors: readonly DraftCollector[];
  strategy: StrategyKind | undefined;
  kept: string[];
  issues: Issues;
  onChange: (kept: string[]) => void;
}

/** Which numbers are kept of every run, beside whether it passed and how long it took. Details of a run are kept now and then. */
export function KeptFields({ collectors, strategy, kept, issues, onChange }: KeptFieldsProps) {
  const options = keepableFields(collectors, strategy);
  if (options.length === 0) return null;
  const usual = options.filter(({ byDefault }) => byDefault).map(({ label }) => label);
  const issue = [...issues].find(([path]) => path.startsWith("keptFields"))?.[1];
  return (
    <Panel title="Kept from every run">
      <p className="mb-3 text-sm text-muted-foreground">
        Besides verdict and duration. Choose nothing to keep the default
        {usual.length > 0 ? `: ${usual.join(", ")}.` : " for what is collected."}
      </p>
      <Choices
        issue={issue ?? (kept.length > most ? `At most ${most} fields are kept.` : undefined)}
        legend="Fields"
        onChange={onChange}
        options={options}
        selected={kept}
      />
    </Panel>
  );
}
