import { lazy, Suspense, useDeferredValue } from "react";
import { loaded } from "../api/reach";
import { loadEnding } from "./ending";
import type { Pace } from "./paced";

const loadRenderer = () => loaded(() => import("./MarkdownRenderer"));
const Renderer = lazy(loadRenderer);

/** Prefetches the renderer before the first answer. A failed load is retried when the renderer is needed. */
export const preloadMarkdown = () => void Promise.allSettled([loadRenderer(), loadEnding()]);

/**
 * Markdown of the model. The source text is shown until its renderer has loaded. Text that arrives while one state is
 * drawn waits for the next, and user input goes first.
 */
export function Markdown({ text, streaming, pace }: { text: string; streaming: boolean; pace?: Pace }) {
  const drawn = useDeferredValue(text);
  return (
    <Suspense fallback={<p className="whitespace-pre-wrap wrap-anywhere">{text}</p>}>
      <Renderer pace={pace} streaming={streaming} text={drawn} />
    </Suspense>
  );
}
