import { Lexer, Tokenizer, type MarkedToken, type Token, type Tokens, type TokensList } from "marked";
import { ended } from "./ending";

/** Maximum length of the local part of an e-mail address. */
const mostOfMailbox = 64;
let words: RegExp | undefined;

/** Parses like the library, without rarely used and expensive constructs. */
class Reader extends Tokenizer {
  /** Footnotes are text: what one says is not the address of a link. */
  override def(source: string) {
    return source.startsWith("[^") ? undefined : super.def(source);
  }

  /** One wave is a range, or an estimate. */
  override del(...[source, ...more]: Parameters<Tokenizer["del"]>) {
    return source.startsWith("~~") ? super.del(source, ...more) : undefined;
  }

  /** The library looks from each character on for the end of an address of mail, however far it is. */
  override inlineText(source: string) {
    const { inline } = this.rules;
    words ??= new RegExp(inline.text.source.replaceAll("+@", `{1,${mostOfMailbox}}@`));
    const raw = words.exec(source)?.[0];
    return raw === undefined
      ? undefined
      : { type: "text" as const, raw, text: raw, escaped: this.lexer.state.inRawBlock };
  }
}

/** A paragraph with more marks that may begin or end something is none: the library looks from each of them to the end. */
const mostMarks = 1_000;

class Words extends Lexer {
  override inlineTokens(source: string, tokens: Token[] = []): Token[] {
    const marks = source.match(/[*_~]+/g)?.length ?? 0;
    if (marks <= mostMarks) return super.inlineTokens(source, tokens);
    tokens.push({ type: "escape", raw: source, text: source });
    return tokens;
  }
}

/** Nesting limit. Deeper content is never written by hand and could exceed the browser's stack. */
const deepest = 50;

/** Content of a Markdown, block by block. */
export interface Blocks {
  blocks: MarkedToken[];
  /** The addresses that links in it may name, by which the same source can say something else. */
  links: string;
}

/** Parses Markdown. In the last block of a streamed text, it closes open constructs, such as bold text. */
export function blocksOf(text: string, growing: boolean): Blocks {
  const { blocks, links } = tokensOf(text);
  const last = growing ? blocks.pop() : undefined;
  if (last) blocks.push(...tokensOf(endedBlock(last), links).blocks);
  return { blocks, links: JSON.stringify(links) };
}

function tokensOf(text: string, links?: TokensList["links"]) {
  const lexer = new Words({ gfm: true, tokenizer: new Reader() });
  if (links) lexer.tokens.links = links;
  try {
    const tokens = lexer.lex(text) as TokensList & MarkedToken[];
    const blocks = tokens.filter(isSeen).map((block) => (isDeep(block, deepest) ? asWritten(block.raw) : block));
    return { blocks, links: tokens.links };
  } catch {
    // It is deeper than can be read.
    return { blocks: [asWritten(text)], links: lexer.tokens.links };
  }
}

/** A text with its lines as they are. */
const asWritten = (raw: string): MarkedToken => ({
  type: "paragraph",
  raw,
  text: raw,
  pre: true,
  tokens: [{ type: "escape", raw, text: raw }],
});

/** Of a list the last item alone is still written, and where Markdown is not read there is nothing to end. */
function endedBlock(block: MarkedToken): string {
  const { raw } = block;
  if (block.type === "html" || (block.type === "code" && block.codeBlockStyle === "indented")) return raw;
  const item = block.type === "list" ? block.items.at(-1)?.raw : undefined;
  return item && raw.endsWith(item) ? raw.slice(0, -item.length) + ended(item) : ended(raw);
}

function isDeep(token: Token | Tokens.TableCell, left: number): boolean {
  return left === 0 || partsOf(token as MarkedToken).some((part) => isDeep(part, left - 1));
}

function partsOf(token: MarkedToken): (Token | Tokens.TableCell)[] {
  if (token.type === "list") return token.items;
  if (token.type === "table") return [...token.header, ...token.rows.flat()];
  return ("tokens" in token && token.tokens) || [];
}

/** Visible part of HTML: its source, without comments. */
export const withoutComments = (html: string) => html.replaceAll(/<!--[\s\S]*?-->/g, "").trim();

function isSeen(token: MarkedToken): boolean {
  return (
    token.type !== "space" && token.type !== "def" && !(token.type === "html" && withoutComments(token.raw) === "")
  );
}
