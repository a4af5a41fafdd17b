import { useEffect, useMemo, useRef, type ComponentProps } from "react";
import { Streamdown } from "streamdown";
import { LocalLink } from "../ui/LocalLink";

type Components = ComponentProps<typeof Streamdown>["components"];

/**
 * The model's text is untrusted: links open apart and say nothing about this
 * page, and images become links, because fetching one could leak what a
 * hostile text put into its address. Links to the documentation open it here.
 */
const components = {
  h1: Heading,
  h2: Heading,
  h3: Heading,
  h4: Heading,
  h5: Heading,
  h6: Heading,
  input: ({ type, checked }: ComponentProps<"input">) =>
    type === "checkbox" ? (
      <input
        aria-label={checked ? "Done" : "To do"}
        checked={checked}
        className="mr-1.5"
        disabled
        readOnly
        type={type}
      />
    ) : null,
  a: ({ href, children }: ComponentProps<"a">) =>
    href?.startsWith("/docs/") ? (
      <LocalLink href={href}>{children}</LocalLink>
    ) : (
      <a href={href} rel="noopener noreferrer nofollow" target={href?.startsWith("/") ? undefined : "_blank"}>
        {children}
      </a>
    ),
  img: ({ src, alt }: ComponentProps<"img">) =>
    typeof src === "string" ? (
      <a href={src} rel="noopener noreferrer nofollow" target="_blank">
        {alt || "Image"}
      </a>
    ) : null,
};

/** A model begins with any level. The heading above is that of the answer, so that none is left out. */
function Heading({ children }: ComponentProps<"h3">) {
  return <h3 className="font-semibold">{children}</h3>;
}

function name(element: Element | null, label: string): void {
  element?.setAttribute("tabindex", "0");
  element?.setAttribute("role", "group");
  element?.setAttribute("aria-label", label);
}

/** What scrolls by itself: a keyboard has to reach it, and somebody who does not see it should know what it is. */
function reachable(answer: HTMLElement): void {
  for (const code of answer.querySelectorAll('[data-streamdown="code-block-body"]')) name(code, "Code");
  for (const table of answer.querySelectorAll('table[data-streamdown="table"]')) name(table.parentElement, "Table");
}

const controls = { code: { copy: true, download: false }, table: false };

interface MarkdownRendererProps {
  text: string;
  streaming: boolean;
  className?: string;
  /** How more kinds of elements are drawn. It has to stay the same object while the text does. */
  more?: Components;
}

export default function MarkdownRenderer({ text, streaming, className = "answer", more }: MarkdownRendererProps) {
  const all = useMemo(() => (more ? { ...components, ...more } : components), [more]);
  const answer = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = answer.current;
    if (!element) return;
    reachable(element);
    // Parts of it are drawn later.
    const observer = new MutationObserver(() => reachable(element));
    observer.observe(element, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, []);
  return (
    <div ref={answer}>
      <Streamdown
        className={className}
        components={all}
        controls={controls}
        isAnimating={streaming}
        lineNumbers={false}
        linkSafety={{ enabled: false }}
        mode={streaming ? "streaming" : "static"}
      >
        {text}
      </Streamdown>
    </div>
  );
}
