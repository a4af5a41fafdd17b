import type { RemendOptions } from "remend";
import { loaded } from "../api/reach";

/** Unfinished syntax is completed for drawing: a link without its address is its text, and there are no formulas. */
export const endingOptions: RemendOptions = {
  linkMode: "text-only",
  katex: false,
  singleTilde: false,
  comparisonOperators: false,
};

let end: ((text: string) => string) | undefined;

/** Fetches what ends a Markdown that is still written. Only answers need it that grow. */
export async function loadEnding(): Promise<void> {
  const { default: remend } = await loaded(() => import("remend"));
  end = (text) => remend(text, endingOptions);
}

/** Closes open Markdown, such as bold text, at the end of a streamed answer, until its real end arrives. */
export function ended(text: string): string {
  if (end) return end(text);
  loadEnding().catch(() => undefined);
  return text;
}
