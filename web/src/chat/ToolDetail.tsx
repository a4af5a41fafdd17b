import { useMemo, useState } from "react";
import { isRecord } from "../api/record";
import { Json } from "../proposals/ChangeView";
import { RequestFacts } from "../requests/RequestFacts";
import { isRequestTool, requestOf } from "../requests/request";
import { ScriptTestDetail } from "../scripts/ScriptTestDetail";
import { scriptTestOf } from "../scripts/scripttest";
import { LocalLink } from "../ui/LocalLink";
import { Table, TableBody, TableCell, TableHead, TableRow, TableTitle } from "../markdown/Table";
import type { Names } from "./callwords";
import type { ToolCall } from "./outline";
import { readable, type Readable, type ReadableTable } from "./readable";
import { withoutToolNames } from "./verbs";

/** Number of rows shown before all are expanded. */
const fewRows = 10;

interface ToolDetailProps {
  call: ToolCall;
  names: Names;
}

/** Input and output of a call, readable, and on demand as JSON. */
export default function ToolDetail({ call, names }: ToolDetailProps) {
  const [raw, setRaw] = useState(false);
  const { name, input, output, errorText } = call;
  const given = useMemo(() => (isRecord(input) ? readable(input, name, names) : []), [input, name, names]);
  const answered = useMemo(() => readable(output, name, names), [output, name, names]);
  const request = isRequestTool(name) ? requestOf(input) : null;
  const test = useMemo(() => scriptTestOf(call), [call]);
  if (test) return <ScriptTestDetail test={test} />;
  return (
    <>
      {errorText && <p className="text-sm wrap-anywhere whitespace-pre-wrap">{withoutToolNames(errorText)}</p>}
      {raw ? (
        <>
          <Raw label="Input" value={input ?? {}} />
          {output !== undefined && <Raw label="Output" value={output} />}
        </>
      ) : (
        <>
          {request ? <RequestFacts request={request} /> : <Part label="Asked with" parts={given} />}
          {output !== undefined && <Part label="Answered" parts={answered} />}
          {output !== undefined && answered.length === 0 && (
            <p className="text-xs text-muted-foreground">The output is empty or unreadable.</p>
          )}
        </>
      )}
      <p className="flex flex-wrap items-center gap-x-3 text-xs text-muted-foreground">
        <button
          className="min-h-6 rounded-md underline-offset-2 hover:text-foreground hover:underline pointer-coarse:min-h-8"
          data-testid="tool-raw"
          onClick={() => setRaw(!raw)}
          type="button"
        >
          {raw ? "Show as text" : "Show as JSON"}
        </button>
        <span className="font-mono wrap-anywhere">{name}</span>
      </p>
    </>
  );
}

function Raw({ label, value }: { label: string; value: unknown }) {
  return (
    <div>
      <p className="mb-0.5 text-xs font-medium text-muted-foreground">{label}</p>
      <Json value={value} />
    </div>
  );
}

function Part({ label, parts }: { label: string; parts: Readable[] }) {
  if (parts.length === 0) return null;
  const facts = parts.filter((part) => part.kind !== "table");
  const tables = parts.filter((part) => part.kind === "table");
  return (
    <div className="min-w-0 rounded-lg border bg-card px-3 py-2">
      <p className="mb-1 text-xs font-medium text-muted-foreground">{label}</p>
      {facts.length > 0 && (
        <dl className="grid gap-x-3 gap-y-1 sm:grid-cols-[minmax(6rem,max-content)_minmax(0,1fr)]">
          {facts.map((part) => (
            <Fact key={part.key} part={part} />
          ))}
        </dl>
      )}
      {tables.map((part) => (
        <Rows key={part.key} table={part} />
      ))}
    </div>
  );
}

function Fact({ part }: { part: Exclude<Readable, { kind: "table" }> }) {
  return (
    <>
      <dt className={`text-xs text-muted-foreground wrap-anywhere sm:pt-0.5 ${part.label ? "" : "sr-only"}`}>
        {part.label || "Text"}
      </dt>
      <dd className={`min-w-0 text-sm wrap-anywhere ${part.label ? "" : "col-span-full"}`}>
        {part.kind === "none" ? "none" : <Long label={part.label} text={part.text} />}
      </dd>
    </>
  );
}

const longText = 600;

/** A long text scrolls, so that a keyboard has to reach it. */
function Long({ label, text }: { label: string; text: string }) {
  if (text.length <= longText) return <span className="whitespace-pre-wrap">{text}</span>;
  return (
    <div
      aria-label={label || "Text"}
      className="max-h-60 overflow-auto whitespace-pre-wrap"
      role="group"
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
    >
      {text}
    </div>
  );
}

function Rows({ table }: { table: ReadableTable }) {
  const [all, setAll] = useState(false);
  const rows = all ? table.rows : table.rows.slice(0, fewRows);
  return (
    <div className="answer mt-1 min-w-0" data-testid="tool-table">
      {table.label && (
        <p className="text-xs text-muted-foreground">
          {table.label} ({table.rows.length})
        </p>
      )}
      <Table role="table">
        <TableHead role="rowgroup">
          <TableRow role="row">
            {table.columns.map(({ field, label }) => (
              <TableTitle key={field} role="columnheader">
                {label}
              </TableTitle>
            ))}
          </TableRow>
        </TableHead>
        <TableBody role="rowgroup">
          {rows.map((row) => (
            <TableRow key={row.key} role="row">
              {row.cells.map(({ field, text }, at) => (
                <TableCell data-title={table.columns[at]?.label} key={field} role="cell">
                  {at === 0 && row.link ? <LocalLink href={row.link}>{text}</LocalLink> : text}
                </TableCell>
              ))}
            </TableRow>
          ))}
        </TableBody>
      </Table>
      {table.rows.length > fewRows && (
        // It stays when it is pressed, and the focus with it.
        <button
          aria-expanded={all}
          className="mt-1 min-h-6 rounded-md text-xs text-primary hover:underline pointer-coarse:min-h-8"
          data-testid="tool-all-rows"
          onClick={() => setAll(!all)}
          type="button"
        >
          {all ? "Show fewer" : `Show all ${table.rows.length}`}
        </button>
      )}
    </div>
  );
}
