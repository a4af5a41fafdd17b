import { useState } from "react";
import { Editor } from "../../scripts/Editor";
import type { Problem } from "../../scripts/problems";
import type { EditorLanguage } from "./schema";

interface CodeFieldProps {
  id: string;
  /** The same for as long as the field is there. */
  name: string;
  label: string;
  language: EditorLanguage;
  declarations: string;
  value: string;
  onChange: (text: string) => void;
}

const none: readonly Problem[] = [];

/** Code in the editor of the playground. */
export default function CodeField({ id, name, label, language, declarations, value, onChange }: CodeFieldProps) {
  const [initial] = useState(value);
  const [problems, setProblems] = useState<readonly Problem[]>(none);
  const [tabLeaves, setTabLeaves] = useState(false);
  return (
    <div className="flex flex-col gap-1">
      <div className="h-72 overflow-hidden rounded-lg border border-input bg-card" id={id}>
        <Editor
          declarations={declarations}
          initial={initial}
          label={label}
          language={language}
          name={name}
          onChange={onChange}
          onProblems={setProblems}
          onTabLeaves={setTabLeaves}
          problems={none}
        />
      </div>
      <p aria-live="polite" className="text-xs text-muted-foreground">
        {tabLeaves
          ? "Tab leaves the editor now."
          : problems.length > 0
            ? problems
                .slice(0, 3)
                .map(({ line, message }) => `Line ${line}: ${message}`)
                .join(" ")
            : "Escape, then Tab, leaves the editor."}
      </p>
    </div>
  );
}
