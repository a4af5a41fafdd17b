import { useState } from "react";

interface Copied {
  /** Whether the text was copied, until it is forgotten. */
  copied: boolean;
  copy: (text: string) => void;
  /** For whatever is left again. */
  forget: () => void;
}

/** Copies text to the clipboard and confirms it. Does nothing where the browser denies access. */
export function useCopied(): Copied {
  const [copied, setCopied] = useState(false);
  return {
    copied,
    copy: (text) =>
      void navigator.clipboard?.writeText(text).then(
        () => setCopied(true),
        () => {},
      ),
    forget: () => setCopied(false),
  };
}
