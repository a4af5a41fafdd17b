import type { CheckDefinition, Kinds } from "../api/health";
import { SourceView } from "../scripts/SourceView";
import { inWords } from "./assertions/operators";
import { interval } from "./format";
import { ruleWords } from "./locations";
import { labelOf, languageOf, type Schema } from "./form/schema";

type Members = Record<string, unknown>;

interface CheckFactsProps {
  definition: CheckDefinition;
  /** Undefined without the right to read them, and while loading. */
  kinds: Kinds | undefined;
}

/** Readable definition of a check: its target, its collectors, and its assertions in words. */
export function CheckFacts({ definition, kinds }: CheckFactsProps) {
  const strategy = kinds?.strategies.find(({ id }) => id === definition.strategyId);
  return (
    <div className="flex flex-col gap-4" data-testid="check-facts">
      <section className="flex flex-col gap-1.5">
        <h3 className="text-sm font-medium">
          {strategy?.name ?? definition.strategyId}
          <span className="font-normal text-muted-foreground">, every {interval(definition.intervalSeconds)}</span>
        </h3>
        {definition.locations && definition.locations.length > 0 && (
          <p className="text-sm text-muted-foreground" data-testid="check-locations">
            From {definition.locations.join(", ")}. Unhealthy when it is down from{" "}
            {ruleWords[definition.locationRule ?? "majority"]}.
          </p>
        )}
        <ConfigFacts config={definition.config ?? {}} schema={strategy?.configSchema as Schema | undefined} />
      </section>
      {definition.collectors.map((collector, index) => {
        const kind = strategy?.collectors.find(({ id }) => id === collector.collectorId);
        const assertions = collector.assertions ?? [];
        return (
          <section className="flex min-w-0 flex-col gap-1.5" key={collector.id ?? index}>
            <h3 className="text-sm font-medium">{kind?.name ?? collector.collectorId}</h3>
            <ConfigFacts config={collector.config ?? {}} schema={kind?.configSchema as Schema | undefined} />
            {assertions.length > 0 ? (
              <>
                <p className="text-xs text-muted-foreground">Assertions:</p>
                <ul className="list-disc pl-5 text-sm">
                  {assertions.map((assertion) => (
                    <li className="wrap-anywhere" key={JSON.stringify(assertion)}>
                      {inWords(assertion, kinds?.operators ?? {})}
                    </li>
                  ))}
                </ul>
              </>
            ) : (
              <p className="text-xs text-muted-foreground">No assertions: any response passes.</p>
            )}
          </section>
        );
      })}
    </div>
  );
}

/** The members of a config by name, code as code. */
function ConfigFacts({ config, schema }: { config: Members; schema: Schema | undefined }) {
  const entries = Object.entries(config).filter(([, value]) => value !== undefined && value !== null && value !== "");
  if (entries.length === 0) return null;
  return (
    <dl className="divide-y overflow-hidden rounded-lg border text-sm">
      {entries.map(([name, value]) => {
        const member = schema?.properties?.[name] ?? {};
        const language = codeLanguage(name, member, value);
        return (
          <div className="grid gap-x-3 px-3 py-1.5 sm:grid-cols-[10rem_minmax(0,1fr)]" key={name}>
            <dt className="text-muted-foreground" title={name}>
              {labelOf(name, member)}
            </dt>
            <dd className="min-w-0">
              {language && typeof value === "string" ? (
                <SourceView language={language} problems={[]} source={value} />
              ) : (
                <ConfigValue value={value} />
              )}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

/** By its schema; without one by how a script looks. */
function codeLanguage(name: string, member: Schema, value: unknown): "typescript" | "shell" | undefined {
  const known = languageOf(member);
  if (known === "typescript" || known === "shell") return known;
  if (name !== "script" || typeof value !== "string") return undefined;
  return /\b(?:export|import|const|await|return)\b/.test(value) ? "typescript" : "shell";
}

function ConfigValue({ value }: { value: unknown }) {
  if (Array.isArray(value) && value.every(isPair))
    return (
      <ul>
        {value.map((pair) => (
          <li className="font-mono text-xs leading-5 wrap-anywhere" key={pair.name}>
            {pair.name}: {String(pair.value ?? "")}
          </li>
        ))}
      </ul>
    );
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return <code className="font-mono text-xs whitespace-pre-wrap wrap-anywhere">{text}</code>;
}

const isPair = (value: unknown): value is { name: string; value?: unknown } =>
  typeof value === "object" && value !== null && "name" in value && typeof value.name === "string";
