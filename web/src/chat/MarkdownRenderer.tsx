import { useCallback, useMemo, type ComponentProps } from "react";
import { defaultRehypePlugins, defaultRemarkPlugins, parseMarkdownIntoBlocks, Streamdown } from "streamdown";
import { LocalLink } from "../ui/LocalLink";
import { CodeBlock } from "./CodeBlock";
import { docLinks } from "./doclinks";
import { growingBlocks } from "./growing";
import { htmlText } from "./htmltext";
import { Drawn, LongBlock } from "./LongBlock";
import { useBackward, useForward, type Pace } from "./paced";
import { Table, TableBody, TableCell, TableHead, TableRow, TableTitle } from "./Table";
import { tableCells } from "./tablecells";

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
  code: CodeBlock,
  inlineCode: ({ children }: ComponentProps<"code">) => <code className="inline-code">{children}</code>,
  table: Table,
  thead: TableHead,
  tbody: TableBody,
  tr: TableRow,
  th: TableTitle,
  td: TableCell,
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

/** What the library has checked for safety, with its tables prepared for narrow places. HTML is not read (htmlText). */
const checks = Object.entries(defaultRehypePlugins).filter(([name]) => name !== "raw");
const rehypePlugins = [docLinks, ...checks.map(([, plugin]) => plugin), tableCells];
const remarkPlugins = [...Object.values(defaultRemarkPlugins), htmlText];

const linkSafety = { enabled: false };

interface MarkdownRendererProps {
  text: string;
  streaming: boolean;
  /** It is a page, drawn at once, and not an answer that is drawn piece by piece. */
  whole?: boolean;
  /** How it is drawn when it is long. */
  pace?: Pace;
  className?: string;
  /** How more kinds of elements are drawn. It has to stay the same object while the text does. */
  more?: Components;
}

export default function MarkdownRenderer({
  text,
  streaming,
  whole,
  pace,
  className = "answer",
  more,
}: MarkdownRendererProps) {
  const all = useMemo(() => (more ? { ...components, ...more } : components), [more]);
  const drawn = useForward(text, pace);
  const growing = streaming || drawn !== text;
  const blocks = useMemo(
    () => (whole ? [] : (growing ? growingBlocks : parseMarkdownIntoBlocks)(drawn)),
    [whole, growing, drawn],
  );
  const first = useBackward(blocks, pace);
  const split = useCallback(() => blocks, [blocks]);
  const range = useMemo(() => ({ first, pace }), [first, pace]);
  return (
    // What was there before is not said when it is drawn.
    <div aria-live={pace === "backward" && !growing ? "off" : undefined}>
      <Drawn value={range}>
        <Streamdown
          BlockComponent={LongBlock}
          className={className}
          components={all}
          isAnimating={growing}
          linkSafety={linkSafety}
          mode={whole ? "static" : "streaming"}
          parseIncompleteMarkdown={false}
          parseMarkdownIntoBlocksFn={split}
          rehypePlugins={rehypePlugins}
          remarkPlugins={remarkPlugins}
        >
          {drawn}
        </Streamdown>
      </Drawn>
    </div>
  );
}
