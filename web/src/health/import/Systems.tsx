import type { ImportPreview, SystemChoice } from "../../api/health";
import { SelectField } from "../../ui/Field";
import { Panel } from "../../ui/Page";
import { count } from "../format";
import { SystemPicker } from "../SystemPicker";

/** Choices of the person by name of the system: a system, "" before it is picked, or null for none. */
export type Chosen = Record<string, string | null>;

/** Choices as the server takes them. */
export const choicesOf = (chosen: Chosen): SystemChoice[] =>
  Object.entries(chosen).flatMap(([name, systemId]) => (systemId === "" ? [] : [{ name, systemId }]));

interface SystemsProps {
  systems: ImportPreview["systems"];
  chosen: Chosen;
  onChange: (chosen: Chosen) => void;
}

/** Which systems the checks of a document are assigned to. */
export function Systems({ systems, chosen, onChange }: SystemsProps) {
  const choose = (name: string, choice: string) => {
    const next = { ...chosen };
    delete next[name];
    onChange(choice === "own" ? next : { ...next, [name]: choice === "none" ? null : "" });
  };
  return (
    <Panel title="Systems">
      <ul className="flex flex-col gap-4" data-testid="import-systems">
        {systems.map(({ name, outcome, checks }) => {
          const choice = chosen[name];
          return (
            <li className="grid gap-3 sm:grid-cols-2" data-outcome={outcome} key={name}>
              <SelectField
                hint={count(checks, "check")}
                issue={outcome === "refused" ? "The checks cannot be assigned to it." : undefined}
                label={name}
                onChange={(event) => choose(name, event.currentTarget.value)}
                value={choice === undefined ? "own" : choice === null ? "none" : "other"}
              >
                <option value="own">{outcome === "found" ? "The system of this name" : "A new system"}</option>
                <option value="other">Another system</option>
                <option value="none">None: the checks do not run</option>
              </SelectField>
              {typeof choice === "string" && (
                <SystemPicker
                  label={`Instead of ${name}`}
                  onChange={(id) => onChange({ ...chosen, [name]: id })}
                  value={choice}
                />
              )}
            </li>
          );
        })}
      </ul>
    </Panel>
  );
}
