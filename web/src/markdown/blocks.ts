import { Lexer, Tokenizer, type MarkedToken, type Token, type Tokens, type TokensList } from "marked";
import { ended } from "./ending";

/** What is no word of any language. The library would look for an address of mail from each of its characters on. */
const endless = /^[\w.!#$%&'+/=?{|}^-]{1000,}/;

class Reader extends Tokenizer {
  /** Footnotes are text: what one says is not the address of a link. */
  override def(source: string) {
    return source.startsWith("[^") ? undefined : super.def(source);
  }

  override inlineText(source: string) {
    const [word] = endless.exec(source) ?? [];
    return word ? { type: "text" as const, raw: word, text: word, escaped: false } : super.inlineText(source);
  }
}

/** Nobody writes what is deeper. To draw it could take more of a browser than it has. */
const deepest = 50;

/** What a Markdown says, block by block. */
export interface Blocks {
  blocks: MarkedToken[];
  /** The addresses that links in it may name, by which the same source can say something else. */
  links: string;
}

/** Reads a Markdown. In the last block of one that is still written, what is begun and not ended, such as bold words, is ended. */
export function blocksOf(text: string, growing: boolean): Blocks {
  const { links, ...read } = tokensOf(text);
  const blocks = read.blocks;
  const last = growing ? blocks.pop() : undefined;
  if (last) blocks.push(...tokensOf(ended(last.raw), links).blocks);
  return { blocks, links: JSON.stringify(links) };
}

function tokensOf(text: string, links?: TokensList["links"]) {
  const lexer = new Lexer({ gfm: true, tokenizer: new Reader() });
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

const asWritten = (raw: string): MarkedToken => ({
  type: "paragraph",
  raw,
  text: raw,
  tokens: [{ type: "escape", raw, text: raw }],
});

function isDeep(token: Token, left: number): boolean {
  const parts: Token[] =
    token.type === "list" ? (token as Tokens.List).items : ("tokens" in token && token.tokens) || [];
  return left === 0 || parts.some((part) => isDeep(part, left - 1));
}

const comment = /^<!--[\s\S]*?-->\s*$/;

function isSeen(token: MarkedToken): boolean {
  return token.type !== "space" && token.type !== "def" && !(token.type === "html" && comment.test(token.raw));
}
