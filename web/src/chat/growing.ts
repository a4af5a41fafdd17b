import remend from "remend";
import { parseMarkdownIntoBlocks } from "streamdown";

/**
 * The blocks of a Markdown that is still written. What is begun and not ended, such as bold words, is ended in the last one, as
 * the others stay as they are. The library would read all of the text for that, and, as the text it has made then differs from
 * what comes next, find all of its blocks anew each time.
 */
export function growingBlocks(text: string): string[] {
  const blocks = parseMarkdownIntoBlocks(text);
  const last = blocks.at(-1);
  return last === undefined ? blocks : [...blocks.slice(0, -1), remend(last)];
}
