import { createContext, use } from "react";
import type { Issues } from "./issues";

/** Context of fields beside their schema. */
export interface FormSurroundings {
  /** By paths from the root of this form. */
  issues: Issues;
  /** Names of secrets in the vault; null without the right to read them. */
  secrets: readonly string[] | null;
  /** Names for templates, such as environment.baseUrl. */
  references: readonly string[];
  /** Declarations for TypeScript. */
  declarations: string;
  /** Tells the editors of this form from those of others. */
  name: string;
}

/** Facts of the template around a field that its control shows. */
interface FieldSurroundings {
  issue?: string;
  hint?: string;
  hintId: string;
}

export const FieldContext = createContext<FieldSurroundings>({ hintId: "" });

/** The ARIA attributes that link a control to the text below it. */
export function useDescription() {
  const { issue, hint, hintId } = use(FieldContext);
  return { "aria-describedby": (issue ?? hint) ? hintId : undefined, "aria-invalid": issue ? true : undefined };
}
