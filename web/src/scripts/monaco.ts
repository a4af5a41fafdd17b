/* oxlint-disable import/no-unassigned-import -- the parts of the editor register themselves */
/* oxlint-disable import/default, import/no-named-as-default -- the bundler makes the classes of the workers */
import EditorWorker from "monaco-editor/editor/editor.worker.js?worker";
import JSONWorker from "monaco-editor/languages/features/json/json.worker.js?worker";
import TypeScriptWorker from "monaco-editor/languages/features/typescript/ts.worker.js?worker";
import * as monaco from "monaco-editor/editor/editor.api.js";
import "monaco-editor/features/register.all.js";
import "monaco-editor/languages/definitions/shell/register.js";
import "monaco-editor/languages/definitions/sql/register.js";
import "monaco-editor/languages/definitions/typescript/register.js";
import "monaco-editor/languages/features/json/register.js";
import {
  ModuleKind,
  ModuleResolutionKind,
  ScriptTarget,
  typescriptDefaults,
} from "monaco-editor/languages/features/typescript/register.js";

self.MonacoEnvironment = {
  getWorker: (_, label) => {
    if (label === "typescript") return new TypeScriptWorker();
    return label === "json" ? new JSONWorker() : new EditorWorker();
  },
};

// The options of the server's check, so that both say the same.
typescriptDefaults.setCompilerOptions({
  target: ScriptTarget.ESNext,
  lib: ["lib.esnext.d.ts"],
  module: ModuleKind.ESNext,
  moduleResolution: ModuleResolutionKind.NodeJs,
  // ModuleDetectionKind.Force, which the editor exports no name for.
  moduleDetection: 3,
  strict: true,
  noEmit: true,
  types: [],
});

// A script without imports and exports is the body of a function, and may return. The language service does not know that:
// it does not look into such a return, so that it calls what is only returned unused.
typescriptDefaults.setDiagnosticsOptions({ diagnosticCodesToIgnore: [1108], noSuggestionDiagnostics: true });

/** The module declarations that scripts of a place are written against. */
export function mountDeclarations(declarations: string): void {
  typescriptDefaults.setExtraLibs([{ content: declarations, filePath: "file:///countersign-sdk.d.ts" }]);
}

monaco.editor.defineTheme("countersign-light", {
  base: "vs",
  inherit: true,
  // The red of options in shell is too light to read.
  rules: [{ token: "attribute.name", foreground: "b31d28" }],
  colors: {
    "editor.background": "#ffffff",
    "editorLineNumber.foreground": "#62666f",
    "editorLineNumber.dimmedForeground": "#62666f",
    focusBorder: "#2b4a8b",
  },
});
monaco.editor.defineTheme("countersign-dark", {
  base: "vs-dark",
  inherit: true,
  // The green of comments is too dark to read.
  rules: [{ token: "comment", foreground: "8fbc76" }],
  colors: {
    "editor.background": "#1b1e25",
    "editorLineNumber.foreground": "#9fa5b1",
    "editorLineNumber.dimmedForeground": "#9fa5b1",
    focusBorder: "#9bb7ff",
  },
});

export const themeOf = (dark: boolean) => (dark ? "countersign-dark" : "countersign-light");

/**
 * A new theme throws the colors of a text away and brings them back line by line while nothing else is to do. Called right
 * after it, this colors the whole text before it is painted. The editor has it as an action that also logs how long it took.
 */
export function colorAtOnce(model: monaco.editor.ITextModel | null | undefined): void {
  const { tokenization } = (model ?? {}) as { tokenization?: { forceTokenization?: (line: number) => void } };
  if (model) tokenization?.forceTokenization?.(model.getLineCount());
}

export { monaco };
