import { lazy, Suspense, useDeferredValue } from "react";
import { loaded } from "../api/reach";
import { loadEnding } from "./ending";
import type { Pace } from "./paced";

const loadRenderer = () => loaded(() => import("./MarkdownRenderer"));
const Renderer = lazy(loadRenderer);

/** Fetches the renderer ahead of the first answer. Whoever needs what could not be had asks for it again. */
export const preloadMarkdown = () => void Promise.allSettled([loadRenderer(), loadEnding()]);

/**
 * Markdown of the model. Until its renderer has been fetched, the source text is shown. What comes while one state of the
 * text is drawn is drawn with the next, and whatever somebody does meanwhile goes first.
 */
export function Markdown({ text, streaming, pace }: { text: string; streaming: boolean; pace?: Pace }) {
  const drawn = useDeferredValue(text);
  return (
    <Suspense fallback={<p className="whitespace-pre-wrap wrap-anywhere">{text}</p>}>
      <Renderer pace={pace} streaming={streaming} text={drawn} />
    </Suspense>
  );
}
