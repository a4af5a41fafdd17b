import { lazy, Suspense, useState } from "react";
import type { FieldChange } from "../api/problem";
import { loaded } from "../api/reach";
import { isRecord } from "../api/record";
import { proposedToolOf } from "../agents/proposedtool";
import { customTool } from "../chat/verbs";
import { isProposedCheck } from "../health/proposed";
import { RequestFacts } from "../requests/RequestFacts";
import { isRequestTool, requestOf } from "../requests/request";
import { Skeleton } from "../ui/Notice";
import { differences, fieldLabel, type Difference } from "./fieldlabels";
import { lineDiff, type DiffLine } from "./linediff";

// Scripts are highlighted in it.
const CheckPayload = lazy(() => loaded(() => import("../health/CheckPayload")));
const ToolPayload = lazy(() => loaded(() => import("../agents/ToolPayload")));

interface ChangeViewProps {
  /** The tool whose call it is. */
  toolName?: string;
  payload?: unknown;
  diff?: FieldChange[] | null;
  labels?: Labels;
}

/** Names of referenced ids. */
type Labels = Record<string, string> | null | undefined;

/** Content of a proposal: the differences when there are some, else its whole payload. */
export function ChangeView({ toolName = "", payload, diff, labels }: ChangeViewProps) {
  const request = isRequestTool(toolName) ? requestOf(payload) : null;
  if (request) return <RequestFacts names={labels} request={request} />;
  if (diff && diff.length > 0) return <DiffView changes={diff} labels={labels} toolName={toolName} />;
  if (payload === undefined || payload === null) return null;
  // The arguments of a custom tool have its own semantics, so they are shown literally.
  if (customTool(toolName)) return <PayloadView payload={withNames(payload, labels)} />;
  if (isProposedCheck(payload))
    return (
      <Suspense fallback={<Skeleton className="h-40 w-full" />}>
        <CheckPayload check={payload} labels={labels} />
      </Suspense>
    );
  const tool = proposedToolOf(payload);
  if (tool)
    return (
      <Suspense fallback={<Skeleton className="h-40 w-full" />}>
        <ToolPayload labels={labels} tool={tool} />
      </Suspense>
    );
  return <PayloadView payload={withNames(payload, labels)} toolName={toolName} />;
}

interface DiffViewProps {
  changes: FieldChange[];
  labels?: Labels;
  /** The tool whose fields they are, to name them as people do; without it they are shown as they are called. */
  toolName?: string;
}

/** Field differences, inline or side by side. */
export function DiffView({ changes: raw, labels, toolName }: DiffViewProps) {
  const [split, setSplit] = useState(false);
  const named = raw.map((change) => ({
    ...change,
    before: withNames(change.before, labels),
    after: withNames(change.after, labels),
  }));
  const changes = toolName && !customTool(toolName) ? differences(named, toolName) : named.map(asItIs);
  const long = changes.some((change) => isMultiline(change.before) || isMultiline(change.after));
  return (
    <div className="overflow-hidden rounded-lg border" data-testid="diff">
      {long && (
        <div className="flex justify-end border-b bg-muted px-2 py-1">
          <button
            aria-pressed={split}
            className="rounded px-1.5 text-xs text-muted-foreground hover:text-foreground"
            onClick={() => setSplit(!split)}
            type="button"
          >
            {split ? "Show inline" : "Show side by side"}
          </button>
        </div>
      )}
      <dl className="divide-y text-sm">
        {changes.map((change) => (
          <div className="grid gap-x-3 gap-y-1 px-3 py-2 sm:grid-cols-[9rem_minmax(0,1fr)]" key={change.key}>
            <dt
              className={`pt-0.5 text-xs text-muted-foreground wrap-anywhere ${change.label === change.key ? "font-mono" : ""}`}
            >
              {change.label}
            </dt>
            <dd className="min-w-0">
              <FieldDifference change={change} split={split} />
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function asItIs({ path, before, after }: FieldChange): Difference {
  const name = fieldName(path);
  return { key: name, label: name, before, after };
}

function FieldDifference({ change, split }: { change: Difference; split: boolean }) {
  const before = display(change.before);
  const after = display(change.after);
  if (!isMultiline(before) && !isMultiline(after)) {
    return (
      <div className="flex flex-wrap items-baseline gap-x-2 gap-y-1">
        {before !== "" && <del className="rounded bg-danger-soft px-1 text-danger wrap-anywhere">{before}</del>}
        {after !== "" && (
          // The arrow wraps together with the value after it.
          <span className="flex min-w-0 items-baseline gap-x-2">
            {before !== "" && (
              <span aria-hidden="true" className="text-muted-foreground">
                →
              </span>
            )}
            <ins className="min-w-0 rounded bg-success-soft px-1 text-success no-underline wrap-anywhere">{after}</ins>
          </span>
        )}
        {before === "" && after === "" && <span className="text-muted-foreground">empty</span>}
      </div>
    );
  }
  const lines = lineDiff(before, after);
  if (!split) return <DiffLines lines={lines} />;
  return (
    <div className="grid gap-2 sm:grid-cols-2">
      <DiffLines lines={lines.filter((line) => line.kind !== "added")} />
      <DiffLines lines={lines.filter((line) => line.kind !== "removed")} />
    </div>
  );
}

const lineStyle: Record<DiffLine["kind"], string> = {
  same: "text-muted-foreground",
  removed: "bg-danger-soft text-danger",
  added: "bg-success-soft text-success",
};
const lineMark: Record<DiffLine["kind"], string> = { same: " ", removed: "-", added: "+" };

function DiffLines({ lines }: { lines: DiffLine[] }) {
  return (
    // Scrolls, so that a keyboard has to reach it.
    <pre
      aria-label="Differences"
      className="max-h-80 overflow-auto rounded border bg-background font-mono text-xs leading-5"
      role="group"
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
    >
      {lines.map((line, index) => (
        // Lines have no identity of their own and never move.
        // oxlint-disable-next-line react/no-array-index-key
        <span className={`block min-w-fit px-2 ${lineStyle[line.kind]}`} key={index}>
          {lineMark[line.kind]} {line.text}
        </span>
      ))}
    </pre>
  );
}

/** Named values one per row; anything that is not a record as JSON. */
export function PayloadView({ payload, toolName }: { payload: unknown; toolName?: string }) {
  if (!isRecord(payload)) return <Json value={payload} />;
  const rows = flatten(payload)
    .filter(([, value]) => display(value) !== "")
    .map(([steps, value]) => ({ name: steps.join("."), label: toolName && fieldLabel(steps, toolName), value }));
  if (rows.length === 0) return null;
  // Records of any other tool are labelled by the names of their fields.
  const own = toolName !== undefined;
  return (
    <dl className="divide-y overflow-hidden rounded-lg border text-sm" data-testid="payload">
      {rows.map(({ name, label, value }) => (
        <div className="grid gap-x-3 px-3 py-2 sm:grid-cols-[9rem_minmax(0,1fr)]" key={name}>
          <dt className={`pt-0.5 text-xs text-muted-foreground wrap-anywhere ${label ? "" : "font-mono"}`}>
            {label || name}
          </dt>
          <dd className="min-w-0 wrap-anywhere whitespace-pre-wrap">
            {typeof value === "object" && !isPlainList(value) && !(own && isRecordList(value)) ? (
              <Json value={value} />
            ) : (
              display(value)
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

export function Json({ value }: { value: unknown }) {
  return (
    // Scrolls, so that a keyboard has to reach it.
    <pre
      aria-label="Value"
      className="max-h-80 overflow-auto rounded-lg border bg-background p-2.5 font-mono text-xs leading-5"
      role="group"
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
    >
      {typeof value === "string" ? value : JSON.stringify(value, null, 2)}
    </pre>
  );
}

/** The same value with names instead of the ids that have one. */
function withNames(value: unknown, labels: Labels): unknown {
  if (!labels) return value;
  if (typeof value === "string") return Object.hasOwn(labels, value) ? labels[value] : value;
  if (Array.isArray(value)) return value.map((item) => withNames(item, labels));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withNames(inner, labels)]));
}

function display(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return value ? "Yes" : "No";
  if (isPlainList(value)) return value.join(", ");
  if (isRecordList(value)) return value.map(lineOf).join("\n");
  return JSON.stringify(value, null, 2);
}

/** Small nested records become rows of their own; anything deeper stays one value. */
function flatten(record: Record<string, unknown>): [steps: string[], unknown][] {
  return Object.entries(record).flatMap(([name, value]): [string[], unknown][] => {
    const shallow = isRecord(value) && Object.values(value).every((inner) => typeof inner !== "object");
    return shallow ? Object.entries(value).map(([inner, content]) => [[name, inner], content]) : [[[name], value]];
  });
}

function isPlainList(value: unknown): value is (string | number | boolean)[] {
  return Array.isArray(value) && value.every((item) => typeof item !== "object");
}

type SmallRecord = Record<string, string | number | boolean | null>;

/** Small records, such as contacts, each shown on a line. */
function isRecordList(value: unknown): value is SmallRecord[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every(
      (item) => isRecord(item) && Object.values(item).every((inner) => inner === null || typeof inner !== "object"),
    )
  );
}

/** All that a record says: texts speak for themselves, a number or a switch does not. */
function lineOf(record: SmallRecord): string {
  const said = Object.entries(record).filter(([, value]) => value !== null && value !== "");
  const words = said.map(([name, value]) => (typeof value === "string" ? value : `${name}: ${display(value)}`));
  return words.join(" · ") || JSON.stringify(record);
}

/** "/tags/0" and "tags.0" both read as "tags.0". */
function fieldName(path: string): string {
  return path.replace(/^\//, "").replaceAll("/", ".");
}

function isMultiline(value: unknown): boolean {
  return display(value).includes("\n");
}
