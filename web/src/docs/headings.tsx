import { useLocation } from "@tanstack/react-router";
import { isValidElement, useEffect, useRef, type ReactNode } from "react";
import type { Doc } from "../api/docs";
import { LocalLink } from "../ui/LocalLink";

interface HeadingProps {
  children?: ReactNode;
}

/** The headings of a page as links to themselves. Which names they have in links is for the server to say. */
export function linkedHeadings({ slug, headings }: Doc) {
  const anchors = new Map((headings ?? []).map(({ text, anchor }) => [text, anchor]));
  const of = (children: ReactNode) => anchors.get(textOf(children).replaceAll(/\s+/g, " ").trim());
  return {
    h2: ({ children }: HeadingProps) => (
      <Heading anchor={of(children)} slug={slug} tag="h2">
        {children}
      </Heading>
    ),
    h3: ({ children }: HeadingProps) => (
      <Heading anchor={of(children)} slug={slug} tag="h3">
        {children}
      </Heading>
    ),
  };
}

interface LinkedHeadingProps extends HeadingProps {
  tag: "h2" | "h3";
  slug: string;
  anchor: string | undefined;
}

function Heading({ tag: Tag, slug, anchor, children }: LinkedHeadingProps) {
  const place = useRef<HTMLHeadingElement>(null);
  const hash = useLocation({ select: (location) => location.hash });
  useEffect(() => {
    if (!anchor || hash !== anchor) return;
    place.current?.scrollIntoView({ block: "start" });
    place.current?.focus({ preventScroll: true });
  }, [anchor, hash]);
  return (
    <Tag className="group/heading outline-none" id={anchor} ref={place} tabIndex={anchor ? -1 : undefined}>
      {children}
      {anchor && (
        <LocalLink
          aria-label="Link to this section"
          className="ml-2 font-normal opacity-0 group-hover/heading:opacity-100 focus-visible:opacity-100"
          href={`/docs/${slug}#${anchor}`}
        >
          #
        </LocalLink>
      )}
    </Tag>
  );
}

/** The text of rendered nodes. */
export function textOf(node: ReactNode): string {
  if (typeof node === "string" || typeof node === "number") return String(node);
  if (Array.isArray(node)) return node.map((part: ReactNode) => textOf(part)).join("");
  if (isValidElement<HeadingProps>(node)) return textOf(node.props.children);
  return "";
}
