import { lazy, Suspense } from "react";
import { loaded } from "../api/reach";
import { useCopied } from "../ui/copied";
import { Icon } from "../ui/Icon";

const ColoredCode = lazy(() => loaded(() => import("./ColoredCode")));

interface CodeBlockProps {
  code: string;
  /** "" for none. */
  language: string;
  /** More of it may come. */
  growing: boolean | undefined;
}

/** A code of an answer or a page: one frame with its language, a button that copies it, and its colours. */
export function CodeBlock({ code, language, growing = false }: CodeBlockProps) {
  return (
    <div className="code-block" data-testid="code-block">
      <div className="flex h-8 items-center justify-between gap-2 border-b pr-1 pl-3 text-xs text-muted-foreground">
        <span className="truncate font-mono">{language}</span>
        {!growing && <CopyButton code={code} />}
      </div>
      <pre
        aria-label={language ? `Code: ${language}` : "Code"}
        role="group"
        // A scrollable area must be reachable by keyboard.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
      >
        <code>
          {language ? (
            <Suspense fallback={code}>
              <ColoredCode code={code} growing={growing} language={language.toLowerCase()} />
            </Suspense>
          ) : (
            code
          )}
        </code>
      </pre>
    </div>
  );
}

function CopyButton({ code }: { code: string }) {
  const { copied, copy, forget } = useCopied();
  return (
    <button
      aria-label={copied ? "Code copied" : "Copy code"}
      className="inline-flex h-6 shrink-0 items-center gap-1 rounded-md px-1.5 hover:bg-muted hover:text-foreground pointer-coarse:h-8"
      data-testid="copy-code"
      onBlur={forget}
      onClick={() => copy(code)}
      type="button"
    >
      <Icon name={copied ? "check" : "copy"} size={13} />
      {copied ? "Copied" : "Copy"}
    </button>
  );
}
