import { useState } from "react";

interface Copied {
  /** Whether the text was copied, until it is forgotten. */
  copied: boolean;
  copy: (text: string) => void;
  /** For whatever is left again. */
  forget: () => void;
}

/** Copies texts to the clipboard, and says that one was. Where the browser keeps it from the page, nothing happens. */
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
