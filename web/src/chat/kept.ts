import { useState } from "react";
import { presence } from "../api/presence";
import { keepUnsent, readUnsent } from "./unsent";

interface Kept {
  text: string;
  write: (text: string) => void;
  /** Drops the text: it was sent, or is not wanted any more. */
  forget: () => void;
}

/**
 * Text typed into a field of a chat or a card, persisted like the message box: it survives closing the field, leaving
 * the page, and another window's edits. Fields are distinguished by their names; one without a name is not kept.
 */
export function useKept(field: string, begun = ""): Kept {
  const person = field === "" ? "" : (presence.person()?.id ?? "");
  const [text, setText] = useState(() => (person && readUnsent(person, field)) || begun);
  return {
    text,
    write: (typed) => {
      setText(typed);
      keepUnsent(person, field, typed === begun ? "" : typed);
    },
    forget: () => keepUnsent(person, field, ""),
  };
}
