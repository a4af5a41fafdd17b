import { TextBlock } from "../scripts/Blocks";
import { Badge } from "../ui/Badge";
import type { RequestAnswer } from "./answer";

/** Readable response of a request. */
export default function AnswerFacts({ answer }: { answer: RequestAnswer }) {
  const { url, status, status_text, redirects, headers, body, body_truncated } = answer;
  const list = Object.entries(headers);
  return (
    <div className="flex flex-col gap-2 rounded-lg border p-3 text-sm" data-testid="http-answer">
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <Badge tone={status < 400 ? "success" : "danger"}>{`${status} ${status_text}`.trim()}</Badge>
        {redirects > 0 && <span className="font-mono text-xs wrap-anywhere text-muted-foreground">from {url}</span>}
      </p>
      {list.length > 0 && (
        <details>
          <summary className="w-fit text-xs text-muted-foreground select-none hover:text-foreground">
            {list.length === 1 ? "1 header" : `${list.length} headers`}
          </summary>
          <dl aria-label="Headers of the answer" className="mt-1 font-mono text-xs leading-5">
            {list.map(([name, value]) => (
              <div className="wrap-anywhere" key={name}>
                <dt className="inline text-muted-foreground">{name}: </dt>
                <dd className="inline">{value}</dd>
              </div>
            ))}
          </dl>
        </details>
      )}
      {body !== "" && (
        <TextBlock label="Body of the answer" testId="http-answer-body">
          {body}
        </TextBlock>
      )}
      {body_truncated && <p className="text-sm text-warning">The rest of the body is missing.</p>}
    </div>
  );
}
