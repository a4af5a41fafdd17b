import { useId, useMemo, useState } from "react";
import { Json } from "../proposals/ChangeView";
import { RequestFacts } from "../requests/RequestFacts";
import { isRequestTool, requestOf } from "../requests/request";
import { verdictOf } from "../scripts/problems";
import { ScriptTestDetail } from "../scripts/ScriptTestDetail";
import { scriptTestOf } from "../scripts/scripttest";
import { Badge } from "../ui/Badge";
import { Spinner } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { LocalLink } from "../ui/LocalLink";
import type { ToolCall } from "./outline";
import { sourceOf } from "./sources";
import { describeTool, withoutToolNames } from "./verbs";

/** One tool call: a quiet line that opens to show what went in and out. */
export function ToolLine({ call }: { call: ToolCall }) {
  const [open, setOpen] = useState(false);
  const details = useId();
  const failed = call.state === "error";
  const source = sourceOf(call);
  const test = useMemo(() => scriptTestOf(call), [call]);
  const request = isRequestTool(call.name) ? requestOf(call.input) : null;
  const verdict = test && verdictOf(test.outcome, test.place.area);
  return (
    <div className="text-sm [[data-testid=tool-line]+&]:-mt-2" data-state={call.state} data-testid="tool-line">
      <button
        aria-controls={details}
        aria-expanded={open}
        className={`group flex max-w-full items-center gap-2 rounded-md py-0.5 pr-2 text-left ${failed ? "text-danger" : "text-muted-foreground hover:text-foreground"}`}
        onClick={() => setOpen(!open)}
        title={call.name}
        type="button"
      >
        <StateIcon state={call.state} />
        <span className="truncate">{describeTool(call.name, call.state)}</span>
        {verdict && <Badge tone={verdict.tone}>{verdict.label}</Badge>}
        <Icon
          className={`opacity-50 transition-transform group-hover:opacity-100 ${open ? "rotate-90" : ""}`}
          name="chevron"
          size={13}
        />
      </button>
      {source && (
        <LocalLink
          className="mt-0.5 ml-6 block w-fit text-primary underline-offset-2 hover:underline"
          data-testid="tool-source"
          href={source.link}
        >
          {source.title}
        </LocalLink>
      )}
      {failed && call.errorText && !open && (
        <p className="mt-0.5 line-clamp-2 pl-6 text-xs text-muted-foreground" title={call.errorText}>
          {withoutToolNames(call.errorText)}
        </p>
      )}
      <div className="mt-1.5 flex flex-col gap-2 pl-6" hidden={!open} id={details}>
        {open && (
          <>
            <p className="font-mono text-xs text-muted-foreground">{call.name}</p>
            {test ? (
              <ScriptTestDetail test={test} />
            ) : (
              <>
                {request ? <RequestFacts request={request} /> : <Detail label="Input" value={call.input ?? {}} />}
                {call.output !== undefined && <Detail label="Output" value={call.output} />}
              </>
            )}
            {call.errorText && <Detail label="Error" value={call.errorText} />}
          </>
        )}
      </div>
    </div>
  );
}

function Detail({ label, value }: { label: string; value: unknown }) {
  return (
    <div>
      <p className="mb-0.5 text-xs font-medium text-muted-foreground">{label}</p>
      <Json value={value} />
    </div>
  );
}

function StateIcon({ state }: { state: ToolCall["state"] }) {
  if (state === "running") return <Spinner />;
  if (state === "done") return <Icon className="text-success" name="check" size={15} />;
  return <Icon name={state === "error" ? "alert" : "stop"} size={15} />;
}
