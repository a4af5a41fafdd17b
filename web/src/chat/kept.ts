import { useState } from "react";
import { presence } from "../api/presence";
import { keepUnsent, readUnsent } from "./unsent";

interface Kept {
  text: string;
  write: (text: string) => void;
  /** What was typed was sent, or is not wanted any more. */
  forget: () => void;
}

/**
 * What is typed into a field of a chat or a card, kept as what stands in the message box is: it is there again when the field is
 * closed and opened, the page is left, or the field is gone for a while because another window writes. Fields are told apart by
 * their names; one without a name is not kept.
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
