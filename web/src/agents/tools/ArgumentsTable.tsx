import type { Schema } from "../../health/form/schema";
import { argumentsOf } from "./arguments";

/** Arguments of a tool, when they fit into a table. */
export function ArgumentsTable({ schema }: { schema: Schema }) {
  const found = argumentsOf(schema);
  if (!found) return <p className="text-sm text-muted-foreground">The full schema has more details.</p>;
  if (found.length === 0) return <p className="text-sm text-muted-foreground">It takes no arguments.</p>;
  return (
    <div className="overflow-x-auto rounded-lg border">
      <table className="w-full text-left text-sm" data-testid="arguments">
        <thead className="bg-muted text-xs text-muted-foreground">
          <tr>
            <th className="px-3 py-1.5 font-medium" scope="col">
              Argument
            </th>
            <th className="px-3 py-1.5 font-medium" scope="col">
              Type
            </th>
            <th className="px-3 py-1.5 font-medium" scope="col">
              Meaning
            </th>
          </tr>
        </thead>
        <tbody className="divide-y">
          {found.map(({ name, type, required, description }) => (
            <tr key={name}>
              <th className="px-3 py-1.5 align-top font-mono text-xs font-normal wrap-anywhere" scope="row">
                {name}
                {!required && <span className="block font-sans text-muted-foreground">optional</span>}
              </th>
              <td className="px-3 py-1.5 align-top">{type}</td>
              <td className="px-3 py-1.5 align-top wrap-anywhere">{description}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
