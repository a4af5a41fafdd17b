import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { Button } from "../../ui/Button";
import { SelectField, TextField } from "../../ui/Field";
import { Icon } from "../../ui/Icon";
import { IconButton } from "../../ui/IconButton";
import type { Issues } from "../form/issues";
import { changed, operatorsOf, textOf, valueOf, type Assertion, type Operators, type ResultField } from "./operators";
import { preview, type Preview, type Query } from "./preview";

interface AssertionBuilderProps {
  /** Undefined while neither assertions nor none are chosen. */
  assertions: readonly Assertion[] | undefined;
  /** Advice of a kind that refuses a new collector without that choice. */
  needs?: string;
  fields: readonly ResultField[];
  operators: Operators;
  /** By paths such as assertions[1].value. */
  issues: Issues;
  /** Last result of the collector, to try assertions on. */
  sample?: Record<string, unknown>;
  onChange: (assertions: Assertion[]) => void;
}

/** Its engine is only loaded for those who use paths. */
const pathQuery = {
  queryKey: ["json-path"],
  queryFn: async (): Promise<Query> => {
    const { query } = await import("jsonpath-rfc9535");
    return (path, document) => query(document as Parameters<typeof query>[0], path) as unknown[];
  },
  staleTime: Number.POSITIVE_INFINITY,
};

/** Assertions on the result of a collector, each with its outcome on the last result. */
export function AssertionBuilder(props: AssertionBuilderProps) {
  const { assertions: chosen, needs, fields, operators, issues, sample, onChange } = props;
  const assertions = chosen ?? [];
  const usable = fields.filter((field) => field.jsonPath || operatorsOf(operators, field, undefined).length > 0);
  const { data: query = null } = useQuery({
    ...pathQuery,
    enabled: sample !== undefined && assertions.some(({ jsonPath }) => jsonPath),
  });
  const set = (index: number, assertion: Assertion) => onChange(assertions.with(index, assertion));
  const add = () => {
    const used = new Set(assertions.map(({ field }) => field));
    const field = usable.find(({ name }) => !used.has(name)) ?? usable[0];
    if (field) onChange([...assertions, changed({ field: field.name, operator: "" }, {}, fields, operators)]);
  };
  return (
    <div className="flex flex-col gap-3" data-testid="assertions">
      {assertions.length === 0 && (
        <p className="text-sm text-muted-foreground">
          {needs && !chosen
            ? `No assertion yet: ${needs}.`
            : "Without assertions, any response passes; only an unreachable target fails."}
        </p>
      )}
      {issues.get("assertions") && (
        <p className="text-sm text-danger" role="alert">
          {issues.get("assertions")}
        </p>
      )}
      <ol className="flex flex-col gap-3">
        {assertions.map((assertion, index) => (
          // Assertions have no identity of their own.
          // oxlint-disable-next-line react/no-array-index-key
          <li key={index}>
            <AssertionRow
              assertion={assertion}
              fields={usable}
              issue={(member) => issues.get(`assertions[${index}]${member && `.${member}`}`)}
              number={index + 1}
              onChange={(change) => set(index, changed(assertion, change, fields, operators))}
              onRemove={() => onChange(assertions.toSpliced(index, 1))}
              operators={operators}
              query={query}
              sample={sample}
            />
          </li>
        ))}
      </ol>
      <div className="flex flex-wrap gap-2">
        <Button data-testid="add-assertion" disabled={usable.length === 0} icon="plus" onClick={add}>
          Add an assertion
        </Button>
        {needs && !chosen && (
          <Button data-testid="no-assertion" onClick={() => onChange([])}>
            Let any value pass
          </Button>
        )}
      </div>
    </div>
  );
}

interface AssertionRowProps {
  number: number;
  assertion: Assertion;
  fields: readonly ResultField[];
  operators: Operators;
  issue: (member: string) => string | undefined;
  sample?: Record<string, unknown>;
  query: Query | null;
  onChange: (change: Partial<Assertion>) => void;
  onRemove: () => void;
}

const valueHints: Readonly<Record<string, string>> = {
  pattern: "A regular expression (RE2).",
  list: "Values separated by commas, e.g. 200, 204",
  range: "Smallest and largest value, e.g. 200, 299",
};

function AssertionRow(props: AssertionRowProps) {
  const { number, assertion, fields, operators, issue, sample, query, onChange, onRemove } = props;
  const field = fields.find(({ name }) => name === assertion.field);
  const choices = operatorsOf(operators, field, assertion.jsonPath);
  const takes = choices.find(({ id }) => id === assertion.operator)?.takes ?? "scalar";
  const numeric = takes === "number" || takes === "count";
  const legend = useId();
  return (
    <div
      aria-labelledby={legend}
      className="flex flex-col gap-2 rounded-lg border p-3"
      data-testid="assertion"
      role="group"
    >
      <div className="flex items-center gap-2">
        <span className="text-xs font-medium text-muted-foreground" id={legend}>
          Assertion {number}
        </span>
        <span className="ml-auto">
          <IconButton icon="trash" label={`Remove assertion ${number}`} onClick={onRemove} />
        </span>
      </div>
      <div className="grid gap-2 sm:grid-cols-3">
        <SelectField
          issue={issue("field")}
          label="Field"
          onChange={(event) => onChange({ field: event.currentTarget.value })}
          value={assertion.field}
        >
          {!field && <option value={assertion.field}>{assertion.field || "Choose a field"}</option>}
          {fields.map(({ name, label, unit }) => (
            <option key={name} value={name}>
              {unit ? `${label} (${unit})` : label}
            </option>
          ))}
        </SelectField>
        <SelectField
          issue={issue("operator")}
          label="Operator"
          onChange={(event) => onChange({ operator: event.currentTarget.value })}
          value={assertion.operator}
        >
          {!choices.some(({ id }) => id === assertion.operator) && (
            <option value={assertion.operator}>{assertion.operator || "Choose an operator"}</option>
          )}
          {choices.map(({ id, words }) => (
            <option key={id} value={id}>
              {words}
            </option>
          ))}
        </SelectField>
        {takes !== "nothing" && (
          <TextField
            className={takes === "pattern" ? "font-mono text-[0.8125rem]" : ""}
            hint={valueHints[takes]}
            inputMode={numeric ? "decimal" : undefined}
            issue={issue("value")}
            label={numeric && field?.unit && !assertion.jsonPath ? `Value (${field.unit})` : "Value"}
            onChange={(event) => onChange({ value: valueOf(event.currentTarget.value, takes) })}
            spellCheck={false}
            value={textOf(assertion.value)}
          />
        )}
      </div>
      {field?.jsonPath && (
        <TextField
          className="font-mono text-[0.8125rem]"
          hint="RFC 9535 path. Leave empty to compare the whole text."
          issue={issue("jsonPath")}
          label="JSONPath (optional)"
          onChange={(event) => onChange({ jsonPath: event.currentTarget.value })}
          placeholder="$.items[0].status"
          spellCheck={false}
          value={assertion.jsonPath ?? ""}
        />
      )}
      {issue("") && <p className="text-xs text-danger">{issue("")}</p>}
      {field && sample && <PreviewLine {...preview(assertion, field, sample, query)} />}
    </div>
  );
}

function PreviewLine({ held, observed, problem }: Preview) {
  const tone = held === null ? "text-muted-foreground" : held ? "text-success" : "text-danger";
  return (
    <p className={`flex items-start gap-1.5 text-sm ${tone}`} data-held={String(held)} data-testid="assertion-preview">
      <Icon className="mt-0.5" name={held === null ? "help" : held ? "check" : "close"} size={16} />
      <span className="min-w-0 wrap-anywhere">
        {held === null ? "" : held ? "Holds on the last result" : "Fails on the last result"}
        {observed !== undefined && (
          <>
            {held === null ? "Found " : ", which has "}
            <code className="font-mono text-xs">{short(observed)}</code>
          </>
        )}
        {problem && `${held === null && observed === undefined ? "" : ". "}${problem}`}
      </span>
    </p>
  );
}

export function short(value: unknown, most = 160): string {
  const text = typeof value === "string" ? JSON.stringify(value) : (JSON.stringify(value) ?? "");
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
