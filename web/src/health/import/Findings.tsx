import { useId } from "react";
import type { ImportPreview } from "../../api/health";
import { Badge } from "../../ui/Badge";
import { Panel } from "../../ui/Page";

type Conversion = NonNullable<ImportPreview["conversion"]>;

interface FindingsProps {
  conversion: Conversion;
  /** Shows a line of the source. */
  onLine: (line: number) => void;
}

/** Settings of a file of another product that change their meaning or are left out, by line. */
export function Findings({ conversion: { findings, mapped, monitors }, onLine }: FindingsProps) {
  const id = useId();
  return (
    <Panel title="Differences">
      <p className="mb-3 text-sm" data-testid="import-mapped" id={id}>
        {mapped} of {monitors} monitors become checks.
        {findings.length === 0 && " All settings are kept."}
      </p>
      {findings.length > 0 && (
        <div className="-mx-4 -mb-4 max-h-96 overflow-auto border-t">
          <table aria-labelledby={id} className="w-full text-left text-sm" data-testid="import-findings">
            <thead className="sticky top-0 bg-card text-xs text-muted-foreground">
              <tr>
                <th className="px-4 py-2 font-medium" scope="col">
                  Line
                </th>
                <th className="py-2 pr-4 font-medium" scope="col">
                  Setting
                </th>
                <th className="py-2 pr-4 font-medium" scope="col">
                  Difference
                </th>
              </tr>
            </thead>
            <tbody className="divide-y">
              {findings.map(({ kind, line, monitor, setting, message }) => (
                <tr className="align-top" data-kind={kind} key={`${line} ${monitor} ${setting} ${message}`}>
                  <td className="px-4 py-2">
                    <button
                      aria-label={`Show line ${line}`}
                      className="min-h-6 min-w-6 text-left text-primary underline-offset-2 hover:underline"
                      onClick={() => onLine(line)}
                      type="button"
                    >
                      {line}
                    </button>
                  </td>
                  <td className="py-2 pr-4 wrap-anywhere">
                    <span className="block font-medium">{monitor ?? "Whole file"}</span>
                    {setting && <code className="font-mono text-xs text-muted-foreground">{setting}</code>}
                  </td>
                  <td className="py-2 pr-4 wrap-anywhere">
                    <Badge tone={kind === "changes" ? "warning" : "neutral"}>
                      {kind === "changes" ? "Changes" : "Left out"}
                    </Badge>{" "}
                    {message}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}
