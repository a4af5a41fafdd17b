/* oxlint-disable react/no-array-index-key -- a part of a text is what stands at its place */
import { Fragment, type ComponentType, type ReactNode } from "react";
import type { MarkedToken, Token } from "marked";
import { LocalLink } from "../ui/LocalLink";
import { linkAddress } from "./address";
import { withoutComments } from "./blocks";
import { withoutReferences } from "./references";
import { softened } from "./softened";

/** How some kinds of parts are drawn in a place; the others are drawn as everywhere. */
export interface Parts {
  h2?: ComponentType<{ children?: ReactNode }>;
  h3?: ComponentType<{ children?: ReactNode }>;
  img?: ComponentType<{ src?: string; alt?: string }>;
}

/** Context of drawing a part of a Markdown. */
export interface Look {
  parts: Parts;
  /** The addresses that links may name. */
  links: string;
  /** It stands in a narrow place: long names in it may go on in the next line. */
  narrow?: boolean;
  /** It stands in a link, in which there can be no other. */
  linked?: boolean;
}

const lineBreak = /^<br\s*\/?>$/i;

/** Draws what stands in a line. */
export function spans(tokens: Token[] | undefined, look: Look): ReactNode[] {
  return (tokens ?? []).map((token, place) => span(token as MarkedToken, place, look));
}

/**
 * The text is untrusted: it becomes the text of an element or a checked address, and never HTML source (XSS). HTML in
 * it is shown as written. Two common forms of models are supported: line breaks, for which a table cell has no other
 * way, and comments, which are hidden.
 */
function span(token: MarkedToken, key: number, look: Look): ReactNode {
  switch (token.type) {
    case "strong":
      return <strong key={key}>{spans(token.tokens, look)}</strong>;
    case "em":
      return <em key={key}>{spans(token.tokens, look)}</em>;
    case "del":
      return <del key={key}>{spans(token.tokens, look)}</del>;
    case "codespan":
      return (
        <code className="inline-code" key={key}>
          {words(token.text, look)}
        </code>
      );
    case "br":
      return <br key={key} />;
    case "html":
      if (lineBreak.test(token.raw)) return <br key={key} />;
      return token.raw.startsWith("<!--") ? withoutComments(token.raw) : token.raw;
    case "checkbox":
      return (
        <input
          aria-label={token.checked ? "Done" : "To do"}
          checked={token.checked}
          className="mr-1.5"
          disabled
          key={key}
          readOnly
          type="checkbox"
        />
      );
    case "link":
      return (
        <Link href={token.autolink ? token.href : withoutReferences(token.href)} key={key}>
          {token.autolink ? words(token.text, look) : spans(token.tokens, { ...look, linked: true })}
        </Link>
      );
    case "image":
      return (
        <Picture
          alt={textOf(token.tokens)}
          key={key}
          linked={look.linked}
          own={look.parts.img}
          src={withoutReferences(token.href)}
        />
      );
    case "escape":
      return token.text;
    case "text":
      if (token.tokens) return <Fragment key={key}>{spans(token.tokens, look)}</Fragment>;
      return words(withoutReferences(token.text), look);
    default:
      return token.raw;
  }
}

function words(text: string, { narrow }: Look): ReactNode {
  if (!narrow) return text;
  const pieces = softened(text);
  return pieces.length === 1
    ? text
    : pieces.map((piece, place) => (
        <Fragment key={place}>
          {place > 0 && <wbr />}
          {piece}
        </Fragment>
      ));
}

/** Opens apart and says nothing about this page. Links to the documentation open it here, and what cannot be opened is text. */
function Link({ href, children }: { href: string; children: ReactNode }) {
  const address = linkAddress(href);
  if (!address) return children;
  if (address.startsWith("/docs/")) return <LocalLink href={address}>{children}</LocalLink>;
  return (
    <a href={address} rel="noopener noreferrer nofollow" target={address.startsWith("/") ? undefined : "_blank"}>
      {children}
    </a>
  );
}

interface PictureProps {
  src: string;
  alt: string;
  own: Parts["img"];
  linked: boolean | undefined;
}

/** Images are links: to fetch one could leak what a hostile text put into its address. */
function Picture({ src, alt, own: Own, linked }: PictureProps) {
  if (Own) return <Own alt={alt} src={src} />;
  return linked ? alt || "Image" : <Link href={src}>{alt || "Image"}</Link>;
}

/** The text of what stands in a line, as it is read. */
export function textOf(tokens: Token[] | undefined): string {
  return (tokens as MarkedToken[] | undefined)?.map(textOfOne).join("") ?? "";
}

function textOfOne(token: MarkedToken): string {
  switch (token.type) {
    case "br":
      return " ";
    case "html":
      return lineBreak.test(token.raw) ? " " : withoutComments(token.raw);
    case "codespan":
    case "escape":
      return token.text;
    case "image":
      return textOf(token.tokens);
    default:
      if ("tokens" in token && token.tokens) return textOf(token.tokens);
      return token.type === "text" ? withoutReferences(token.text) : "";
  }
}
