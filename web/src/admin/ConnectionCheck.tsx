import type { Connection, ConnectionTest } from "../api/connections";
import { Badge, type Tone } from "../ui/Badge";
import { Button } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { fullTime } from "../ui/time";

type Finding = ConnectionTest["findings"][number];

const subjects: Record<Finding["subject"], string> = {
  answer: "Answer",
  streaming: "Streaming",
  whole: "Whole answers",
  tools: "Tools",
  parallel: "Parallel calls",
  reasoning: "Thoughts",
  usage: "Usage",
  window: "Window",
  speed: "Speed",
  models: "Models",
};

const tones: Record<Finding["state"], Tone> = { ok: "success", not: "danger", unknown: "neutral" };

interface CheckResultProps {
  check: ConnectionTest;
  /** The connection has been changed since it was tested. */
  outdated?: boolean;
  /** The corrected base URL is being saved. */
  busy?: boolean;
  /** Saves the base URL at which the API answers. */
  onCorrect?: (url: string) => void;
}

/** Result of a connection test. When the model did not answer, the provider's own text is the best explanation. */
export function CheckResult({ check, outdated, busy, onCorrect }: CheckResultProps) {
  return (
    <div className="mt-2 text-sm" data-testid="connection-check" role="status">
      <div
        className={
          "flex items-start gap-2 rounded-lg px-3 py-2 " +
          (check.ok ? "bg-success-soft text-success" : "bg-danger-soft text-danger")
        }
      >
        <Icon className="mt-0.5" name={check.ok ? "check" : "alert"} size={16} />
        <div className="min-w-0 wrap-anywhere">
          <p className="whitespace-pre-wrap">{check.message}</p>
          <p className="text-xs">
            {check.latencyMs} ms
            {check.models && check.models.length > 0 ? `, models: ${check.models.slice(0, 12).join(", ")}` : ""}
          </p>
          {outdated && <p className="text-xs font-medium">Tested before the last change of the connection.</p>}
        </div>
      </div>
      {onCorrect && !outdated && (
        <UseAddress busy={busy} onUse={onCorrect} then="and test again" url={check.correctedUrl} />
      )}
      {check.findings.length > 0 && (
        <ul aria-label="Test results" className="mt-2 flex flex-col gap-1.5">
          {check.findings.map(({ subject, state, text, advice }) => (
            <li
              className="grid grid-cols-[11.5rem_1fr] gap-x-3 max-sm:grid-cols-1"
              data-testid={`finding-${subject}`}
              key={subject}
            >
              <span className="flex items-start justify-between gap-2 max-sm:justify-start">
                <span className="font-medium">{subjects[subject]}</span>
                <Badge tone={tones[state]}>{state}</Badge>
              </span>
              <span className="min-w-0 wrap-anywhere">
                {text}
                {advice && <span className="block text-muted-foreground">{advice}</span>}
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

interface UseAddressProps {
  /** Base URL at which the provider answers. */
  url: string | undefined;
  busy?: boolean;
  onUse: (url: string) => void;
  /** Words after the address, such as a second step. */
  then?: string;
}

/** Replaces a base URL by the one at which the provider answers. Renders nothing without one. */
export function UseAddress({ url, busy, onUse, then = "" }: UseAddressProps) {
  if (!url) return null;
  return (
    <Button
      busy={busy}
      className="mt-2 max-w-full text-left wrap-anywhere whitespace-normal!"
      data-testid="use-corrected-url"
      onClick={() => onUse(url)}
    >
      {`Use ${url} ${then}`.trim()}
    </Button>
  );
}

/** Context window of a connection, with a warning where its server truncates conversations. */
export function ConnectionWindow({ connection }: { connection: Connection }) {
  const { contextWindowTokens: declared, askedWindowTokens: asked, cut } = connection;
  return (
    <>
      {asked && (
        <p className="mt-1 text-xs text-muted-foreground" data-testid="asked-window">
          {declared
            ? `Window: ${tokens(declared)} declared; the server reports ${tokens(asked)}.`
            : `Window: ${tokens(asked)}, as reported by the server.`}
        </p>
      )}
      {asked && declared && declared > asked ? (
        <Warning testId="window-warning">
          The declared window is larger than the server’s. Declare {tokens(asked)} at most, or give the server more.
        </Warning>
      ) : null}
      {cut && (
        <Warning testId="cut-warning">
          The server seems to truncate long conversations: on {fullTime(cut.noticedAt)} it counted{" "}
          {tokens(cut.readTokens)} of about {cut.sentTokens.toLocaleString("en")} that were sent. Declare the window
          that it has, or give it a larger one (Ollama: OLLAMA_CONTEXT_LENGTH), and test again.
        </Warning>
      )}
    </>
  );
}

const tokens = (count: number) => `${count.toLocaleString("en")} tokens`;

function Warning({ testId, children }: { testId: string; children: React.ReactNode }) {
  return (
    <p
      className="mt-2 flex items-start gap-2 rounded-lg bg-warning-soft px-3 py-2 text-sm text-warning"
      data-testid={testId}
    >
      <Icon className="mt-0.5 shrink-0" name="alert" size={16} />
      <span className="min-w-0 wrap-anywhere">{children}</span>
    </p>
  );
}
