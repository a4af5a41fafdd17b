import { piecesOf } from "./placeholders";
import type { HttpRequest } from "./request";

interface RequestFactsProps {
  request: HttpRequest;
  /** Which placeholder stands for which secret. */
  names?: Readonly<Record<string, string>> | null;
}

/** A read-only request, with names of secrets in place of their values. */
export function RequestFacts({ request, names }: RequestFactsProps) {
  const { method, url, headers, body } = request;
  return (
    <div className="flex flex-col gap-2 rounded-lg border p-3 text-sm" data-testid="http-request">
      <p className="font-mono text-[0.8125rem] wrap-anywhere">
        <strong>{method}</strong> <Text names={names} text={url} />
      </p>
      {headers.length > 0 && (
        <dl aria-label="Headers" className="font-mono text-xs leading-5">
          {headers.map(([name, value]) => (
            <div className="wrap-anywhere" key={name}>
              <dt className="inline text-muted-foreground">{name}: </dt>
              <dd className="inline">
                <Text names={names} text={value} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {body !== undefined && (
        // Scrolls, so that a keyboard has to reach it.
        <pre
          aria-label="Body"
          className={
            "max-h-60 overflow-auto rounded-lg border bg-background p-2 font-mono text-xs leading-5 " +
            "whitespace-pre-wrap wrap-anywhere"
          }
          role="group"
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
          tabIndex={0}
        >
          <Text names={names} text={body} />
        </pre>
      )}
    </div>
  );
}

/** A text in which secrets stand by their names. */
function Text({ text, names }: { text: string; names: RequestFactsProps["names"] }) {
  return piecesOf(text, names).map(({ text: piece, secret }, at) =>
    secret === undefined ? (
      piece
    ) : (
      <code
        className="rounded bg-primary-soft px-1 text-primary"
        data-testid="secret-name"
        // oxlint-disable-next-line react/no-array-index-key -- pieces never move
        key={at}
        title="Inserted when the request is sent"
      >
        {secret}
      </code>
    ),
  );
}
