import { useState } from "react";
import { Button } from "../ui/Button";
import { useCopied } from "../ui/copied";
import { IconButton } from "../ui/IconButton";

/** Maximum of lines drawn before the rest is expanded: a script may write megabytes. */
const mostLines = 200;
const mostCharacters = 20_000;

const block = "max-h-80 overflow-auto rounded-lg border bg-muted px-3 py-2 font-mono text-[0.8125rem]";

interface BlockProps {
  label: string;
  testId: string;
  children: string;
}

/** A text that a script has made, to read and to copy. */
export function TextBlock({ label, testId, children: text }: BlockProps) {
  const [whole, setWhole] = useState(false);
  const long = !whole && text.length > mostCharacters;
  return (
    <section className="flex flex-col gap-1">
      <Heading label={label} text={text} />
      {/* Scrolls, so that a keyboard has to reach it. */}
      <pre
        aria-label={label}
        className={`${block} whitespace-pre-wrap wrap-anywhere`}
        data-testid={testId}
        role="group"
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
      >
        {long ? text.slice(0, mostCharacters) : text}
      </pre>
      {long && <More count={text.length - mostCharacters} onShow={() => setWhole(true)} unit="characters" />}
    </section>
  );
}

const levels: Record<string, string> = { error: "text-danger", warn: "text-warning", stderr: "text-warning" };

interface Line {
  level: string;
  text: string;
}

/** The lines of the console with their levels. */
export function LogBlock({ logs }: { logs: readonly Line[] }) {
  const [whole, setWhole] = useState(false);
  const text = () => logs.map(({ level, text: line }) => `${level.padEnd(6)} ${line}`).join("\n");
  if (whole)
    return (
      <TextBlock label="Log" testId="script-logs">
        {text()}
      </TextBlock>
    );
  const shown = logs.slice(0, mostLines);
  return (
    <section className="flex flex-col gap-1">
      <Heading label="Log" text={text} />
      {/* Scrolls, so that a keyboard has to reach it. */}
      <ol
        aria-label="Log"
        className={`${block} list-none`}
        data-testid="script-logs"
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
      >
        {shown.map((line, at) => (
          // oxlint-disable-next-line react/no-array-index-key -- lines never move
          <li className="flex gap-2" key={at}>
            <span className={`w-11 shrink-0 ${levels[line.level] ?? "text-muted-foreground"}`}>{line.level}</span>
            <span className="min-w-0 whitespace-pre-wrap wrap-anywhere">{line.text}</span>
          </li>
        ))}
      </ol>
      {logs.length > mostLines && <More count={logs.length - mostLines} onShow={() => setWhole(true)} unit="lines" />}
    </section>
  );
}

function More({ count, unit, onShow }: { count: number; unit: string; onShow: () => void }) {
  return (
    <Button className="self-start" data-testid="show-more" onClick={onShow} variant="quiet">
      Show {count.toLocaleString("en")} more {unit}
    </Button>
  );
}

function Heading({ label, text }: { label: string; text: string | (() => string) }) {
  return (
    <div className="flex h-7 items-center justify-between">
      <h3 className="text-sm font-medium">{label}</h3>
      <Copy label={`Copy ${label.toLowerCase()}`} text={text} />
    </div>
  );
}

export function Copy({
  label,
  text,
  className = "size-7",
}: {
  label: string;
  text: string | (() => string);
  className?: string;
}) {
  const { copied, copy, forget } = useCopied();
  return (
    <IconButton
      className={className}
      icon={copied ? "check" : "copy"}
      label={copied ? "Copied" : label}
      onBlur={forget}
      onClick={() => copy(typeof text === "string" ? text : text())}
    />
  );
}
