import { Panel } from "../ui/Page";

/** The free values of a thing. */
export function Metadata({ metadata, title = "Metadata" }: { metadata: Record<string, unknown>; title?: string }) {
  const entries = Object.entries(metadata);
  return (
    <Panel title={title}>
      {entries.length === 0 && <p className="text-sm text-muted-foreground">No {title.toLowerCase()}.</p>}
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 text-sm">
        {entries.map(([name, value]) => (
          <div className="contents" key={name}>
            <dt className="font-mono text-xs leading-6 text-muted-foreground">{name}</dt>
            <dd className="wrap-anywhere">{typeof value === "string" ? value : JSON.stringify(value)}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}
