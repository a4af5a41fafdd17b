import { useEffect, useImperativeHandle, useRef, type Ref } from "react";
import type { ScriptPosition } from "../api/scripts";
import { useTheme } from "../shell/theme";
import { colorAtOnce, monaco, mountDeclarations, themeOf } from "./monaco";
import type { Problem, Severity } from "./problems";

/** Commands of the page to the editor. */
export interface EditorHandle {
  goTo: (position: ScriptPosition) => void;
  /** Replaces the text so that undo brings it back. */
  replace: (source: string) => void;
}

export interface FullEditorHandle extends EditorHandle {
  /** Continues from a plain field: with its text, selection, place and focus. */
  takeOver: (from: HTMLTextAreaElement) => void;
}

export interface EditorProps {
  language: "typescript" | "shell" | "json" | "sql";
  label: string;
  /** Tells it from other editors of the page. */
  name?: string;
  declarations: string;
  initial: string;
  /** Text to replace the source with; undo leads back to the initial one. */
  replacement?: string;
  /** The text can be read and copied only. */
  readOnly?: boolean;
  /** Problems from the server; shown beside the editor's own. */
  problems: readonly Problem[];
  onChange: (source: string) => void;
  /** Problems that the editor itself has found in the present text. */
  onProblems: (problems: Problem[]) => void;
  /** Tab leaves the editor from now on, or indents again. */
  onTabLeaves: (leaves: boolean) => void;
  ref?: Ref<EditorHandle>;
}

interface ScriptEditorProps extends Omit<EditorProps, "ref"> {
  /** It is there, and can be typed in. */
  onReady: () => void;
  ref: Ref<FullEditorHandle>;
}

const extensions = { typescript: "ts", shell: "sh", json: "json", sql: "sql" } as const;

/** An open list or box of the editor has the first claim to Escape. */
const nothingOpen =
  "editorTextFocus && !suggestWidgetVisible && !findWidgetVisible && !parameterHintsVisible && " +
  "!renameInputVisible && !markersNavigationVisible && !inSnippetMode && !editorHasMultipleSelections " +
  "&& !editorHasSelection";

/** Markers of the server carry this name, those of the language service its own. */
const serverOwner = "countersign";

export default function ScriptEditor(props: ScriptEditorProps) {
  const { language, label, declarations, initial, replacement, problems, ref } = props;
  const { onChange, onProblems, onTabLeaves, onReady } = props;
  const readOnly = props.readOnly ?? false;
  const file = `${props.name ?? "script"}.${extensions[language]}`;
  const { dark } = useTheme();
  const frame = useRef<HTMLDivElement>(null);
  const editor = useRef<monaco.editor.IStandaloneCodeEditor | null>(null);
  const listeners = useRef({ onChange, onProblems, onTabLeaves, onReady });
  useEffect(() => {
    listeners.current = { onChange, onProblems, onTabLeaves, onReady };
  });

  // One editor while the place is open: its model holds later edits.
  const start = useRef({ initial, replacement, dark });
  useEffect(() => {
    if (!frame.current) return;
    if (language === "typescript") mountDeclarations(declarations);
    const uri = monaco.Uri.file(`/${file}`);
    const model = monaco.editor.createModel(start.current.initial, language, uri);
    const created = monaco.editor.create(frame.current, {
      model,
      theme: themeOf(start.current.dark),
      ariaLabel: `${label}. Press Escape, then Tab, to leave the editor.`,
      automaticLayout: true,
      fixedOverflowWidgets: true,
      fontFamily: "ui-monospace, SFMono-Regular, 'Cascadia Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace",
      fontSize: 13,
      insertSpaces: true,
      lineDecorationsWidth: 14,
      lineNumbersMinChars: 3,
      minimap: { enabled: false },
      padding: { top: 12, bottom: 12 },
      scrollBeyondLastLine: false,
      showUnused: false,
      tabSize: 2,
      wordWrap: "on",
    });
    editor.current = created;
    if (start.current.replacement !== undefined) replaceAll(created, start.current.replacement);
    const typing = model.onDidChangeContent(() => listeners.current.onChange(model.getValue()));
    const checking = monaco.editor.onDidChangeMarkers((changed) => {
      if (changed.some((resource) => resource.toString() === model.uri.toString())) {
        listeners.current.onProblems(ownProblems(model));
      }
    });
    const letTabLeave = (leaves: boolean) => {
      if (created.getRawOptions().tabFocusMode === leaves) return;
      created.updateOptions({ tabFocusMode: leaves });
      listeners.current.onTabLeaves(leaves);
    };
    created.addCommand(monaco.KeyCode.Escape, () => letTabLeave(true), nothingOpen);
    const leaving = [
      created.onKeyDown(({ keyCode }) => {
        if (!staysLeaving.has(keyCode)) letTabLeave(false);
      }),
      created.onDidBlurEditorText(() => letTabLeave(false)),
    ];
    listeners.current.onReady();
    return () => {
      editor.current = null;
      for (const listening of leaving) listening.dispose();
      typing.dispose();
      checking.dispose();
      created.dispose();
      model.dispose();
    };
  }, [language, label, declarations, file]);

  useEffect(() => {
    editor.current?.updateOptions({ readOnly });
  }, [readOnly]);

  useEffect(() => {
    monaco.editor.setTheme(themeOf(dark));
    colorAtOnce(editor.current?.getModel());
  }, [dark]);

  useEffect(() => {
    const model = editor.current?.getModel();
    if (model) monaco.editor.setModelMarkers(model, serverOwner, problems.map(markerOf));
  }, [problems]);

  useImperativeHandle(
    ref,
    () => ({
      goTo: ({ line, column }) => {
        const position = { lineNumber: line, column };
        editor.current?.setPosition(position);
        editor.current?.revealPositionInCenterIfOutsideViewport(position);
        editor.current?.focus();
      },
      replace: (source) => {
        if (editor.current) replaceAll(editor.current, source);
      },
      takeOver: (from) => {
        if (editor.current) takeOver(editor.current, from);
      },
    }),
    [],
  );

  return <div className="h-full" data-testid="script-editor" ref={frame} />;
}

function replaceAll(editor: monaco.editor.IStandaloneCodeEditor, source: string): void {
  const model = editor.getModel();
  if (!model) return;
  editor.pushUndoStop();
  editor.executeEdits("countersign", [{ range: model.getFullModelRange(), text: source }]);
  editor.pushUndoStop();
}

function takeOver(editor: monaco.editor.IStandaloneCodeEditor, from: HTMLTextAreaElement): void {
  const { value, selectionStart, selectionEnd, selectionDirection } = from;
  if (editor.getModel()?.getValue(monaco.editor.EndOfLinePreference.LF) !== value) replaceAll(editor, value);
  const [start, end] = [positionAt(value, selectionStart), positionAt(value, selectionEnd)];
  const [anchor, active] = selectionDirection === "backward" ? [end, start] : [start, end];
  editor.setSelection(new monaco.Selection(anchor.lineNumber, anchor.column, active.lineNumber, active.column));
  editor.setScrollTop(from.scrollTop);
  if (document.activeElement === from) editor.focus();
}

/** Lines of a field end in one character, whatever those of the stored text end in. */
function positionAt(text: string, offset: number): monaco.IPosition {
  const lines = text.slice(0, offset).split("\n");
  return { lineNumber: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

const staysLeaving: ReadonlySet<monaco.KeyCode> = new Set([
  monaco.KeyCode.Tab,
  monaco.KeyCode.Shift,
  monaco.KeyCode.Escape,
]);

function ownProblems(model: monaco.editor.ITextModel): Problem[] {
  return monaco.editor
    .getModelMarkers({ resource: model.uri })
    .filter(({ owner, severity }) => owner !== serverOwner && severity > monaco.MarkerSeverity.Hint)
    .map((marker) => ({
      line: marker.startLineNumber,
      column: marker.startColumn,
      endLine: marker.endLineNumber,
      endColumn: marker.endColumn,
      message: marker.message,
      code: typescriptCode(marker.code),
      severity: severityNames[marker.severity] ?? "info",
      source: "editor",
    }));
}

const severityNames: Record<number, Severity> = {
  [monaco.MarkerSeverity.Error]: "error",
  [monaco.MarkerSeverity.Warning]: "warning",
  [monaco.MarkerSeverity.Info]: "info",
};

const severities: Record<Severity, monaco.MarkerSeverity> = {
  error: monaco.MarkerSeverity.Error,
  warning: monaco.MarkerSeverity.Warning,
  info: monaco.MarkerSeverity.Info,
};

function markerOf(problem: Problem): monaco.editor.IMarkerData {
  return {
    startLineNumber: problem.line,
    startColumn: problem.column,
    endLineNumber: problem.endLine,
    endColumn: problem.endColumn,
    message: problem.hint ? `${problem.message}\n${problem.hint}` : problem.message,
    code: problem.code || undefined,
    severity: severities[problem.severity],
    source: "Countersign",
  };
}

function typescriptCode(code: monaco.editor.IMarkerData["code"]): string {
  const value = typeof code === "object" ? code.value : code;
  return value ? `TS${value}` : "";
}
