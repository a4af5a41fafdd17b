/* oxlint-disable react/no-array-index-key -- a block is what stands at its place */
import { useMemo } from "react";
import { Block } from "./Block";
import { blocksOf } from "./blocks";
import { useBackward, useForward, type Pace } from "./paced";
import type { Parts } from "./Spans";

interface MarkdownRendererProps {
  text: string;
  streaming: boolean;
  /** How it is drawn when it is long. */
  pace?: Pace;
  className?: string;
  /** How some kinds of parts are drawn here. It has to stay the same object while the text does. */
  parts?: Parts;
}

const everywhere: Parts = {};

/** Draws a Markdown, and while it grows only what changes. */
export default function MarkdownRenderer({
  text,
  streaming,
  pace,
  className = "answer",
  parts = everywhere,
}: MarkdownRendererProps) {
  const drawn = useForward(text, pace);
  const growing = streaming || drawn !== text;
  const { blocks, links } = useMemo(() => blocksOf(drawn, growing), [drawn, growing]);
  const sources = useMemo(() => blocks.map(({ raw }) => raw), [blocks]);
  const first = useBackward(sources, pace);
  const look = useMemo(() => ({ parts, links }), [parts, links]);
  return (
    // Earlier content is not announced when it is drawn.
    <div aria-live={pace === "backward" && !growing ? "off" : undefined} className={className}>
      {blocks.map((block, place) =>
        place < first ? null : (
          <Block growing={growing && place === blocks.length - 1} key={place} look={look} pace={pace} token={block} />
        ),
      )}
    </div>
  );
}
