import { useEffect, useImperativeHandle, useRef, useState, type RefObject } from "react";
import { loaded } from "../api/reach";
import type ScriptEditor from "./ScriptEditor";
import type { EditorProps, FullEditorHandle } from "./ScriptEditor";

/**
 * The editor of scripts, which is larger than the rest of the application. Until it has been loaded a plain field stands in its
 * place, to be read and typed in at once; the text, what is selected in it and where it is scrolled go over.
 */
export function Editor({ ref, ...props }: EditorProps) {
  const [Full, setFull] = useState<typeof ScriptEditor | null>(null);
  const [plain, setPlain] = useState(true);
  const [begin] = useState({ initial: props.initial, replacement: props.replacement });
  const field = useRef<HTMLTextAreaElement>(null);
  const full = useRef<FullEditorHandle>(null);
  useFull(field, (editor) => setFull(() => editor));

  // Synchronous, so that the next key press reaches the editor.
  const takeOver = () => {
    const from = field.current;
    if (!from || from.hidden) return;
    full.current?.takeOver(from);
    from.hidden = true;
    setPlain(false);
  };

  useImperativeHandle(
    ref,
    () => ({
      goTo: (position) =>
        full.current ? full.current.goTo(position) : goTo(field.current, position.line, position.column),
      replace: (source) => {
        if (full.current) full.current.replace(source);
        else if (field.current) field.current.value = source;
      },
    }),
    [],
  );

  return (
    <div className="relative h-full">
      {Full && <Full {...props} {...begin} onReady={takeOver} ref={full} />}
      {plain && (
        <textarea
          aria-label={props.label}
          autoCapitalize="off"
          autoComplete="off"
          autoCorrect="off"
          className="absolute inset-0 resize-none bg-card px-4 py-3 font-mono text-[0.8125rem] text-foreground outline-offset-[-2px]"
          data-testid="plain-editor"
          defaultValue={begin.replacement ?? begin.initial}
          onChange={(event) => props.onChange(event.currentTarget.value)}
          readOnly={props.readOnly}
          ref={field}
          spellCheck={false}
        />
      )}
    </div>
  );
}

/** Loads the editor, which does not come between the keys of a word that an input method composes. */
function useFull(field: RefObject<HTMLTextAreaElement | null>, onLoaded: (editor: typeof ScriptEditor) => void) {
  const listener = useRef(onLoaded);
  useEffect(() => {
    let left = false;
    let composing = false;
    let waiting: (() => void) | null = null;
    const element = field.current;
    const begun = () => {
      composing = true;
    };
    const ended = () => {
      composing = false;
      waiting?.();
    };
    element?.addEventListener("compositionstart", begun);
    element?.addEventListener("compositionend", ended);
    // Without it the plain field stays, which scripts can be written and run in.
    void loaded(() => import("./ScriptEditor")).then(
      ({ default: editor }) => {
        waiting = () => {
          if (!left) listener.current(editor);
          waiting = null;
        };
        if (!composing) waiting();
      },
      () => {},
    );
    return () => {
      left = true;
      element?.removeEventListener("compositionstart", begun);
      element?.removeEventListener("compositionend", ended);
    };
  }, [field]);
}

function goTo(field: HTMLTextAreaElement | null, line: number, column: number): void {
  if (!field) return;
  const before = field.value.split("\n").slice(0, line - 1);
  const at = before.reduce((sum, { length }) => sum + length + 1, column - 1);
  field.focus();
  field.setSelectionRange(at, at);
}
