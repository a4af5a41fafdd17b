import core from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import c from "highlight.js/lib/languages/c";
import cpp from "highlight.js/lib/languages/cpp";
import csharp from "highlight.js/lib/languages/csharp";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import dockerfile from "highlight.js/lib/languages/dockerfile";
import go from "highlight.js/lib/languages/go";
import graphql from "highlight.js/lib/languages/graphql";
import http from "highlight.js/lib/languages/http";
import ini from "highlight.js/lib/languages/ini";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import kotlin from "highlight.js/lib/languages/kotlin";
import makefile from "highlight.js/lib/languages/makefile";
import markdown from "highlight.js/lib/languages/markdown";
import nginx from "highlight.js/lib/languages/nginx";
import php from "highlight.js/lib/languages/php";
import powershell from "highlight.js/lib/languages/powershell";
import properties from "highlight.js/lib/languages/properties";
import protobuf from "highlight.js/lib/languages/protobuf";
import python from "highlight.js/lib/languages/python";
import ruby from "highlight.js/lib/languages/ruby";
import rust from "highlight.js/lib/languages/rust";
import shell from "highlight.js/lib/languages/shell";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";

const languages = {
  bash,
  c,
  cpp,
  csharp,
  css,
  diff,
  dockerfile,
  go,
  graphql,
  http,
  ini,
  java,
  javascript,
  json,
  kotlin,
  makefile,
  markdown,
  nginx,
  php,
  powershell,
  properties,
  protobuf,
  python,
  ruby,
  rust,
  shell,
  sql,
  typescript,
  xml,
  yaml,
};

const highlighter = core.newInstance();
for (const [name, language] of Object.entries(languages)) highlighter.registerLanguage(name, language);

/** A piece of code with its token kind, such as "keyword"; "" for plain text. */
export interface Token {
  kind: string;
  text: string;
}

/**
 * The lines of a code as marked text, which tokensOf reads; null for a language that is not known. The same line in the
 * same surroundings gives the same text.
 */
export function markedLines(code: string, language: string): string[] | null {
  if (!highlighter.getLanguage(language)) return null;
  const lines: string[] = [];
  const open: string[] = [];
  let line = "";
  for (const piece of highlighter.highlight(code, { language, ignoreIllegals: true }).value.split(/(<[^>]*>|\n)/)) {
    if (piece === "\n") {
      lines.push(line + "</span>".repeat(open.length));
      line = open.join("");
      continue;
    }
    if (piece === "</span>") open.pop();
    else if (piece.startsWith("<span")) open.push(piece);
    line += piece;
  }
  lines.push(line);
  return lines;
}

const entities: Record<string, string> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#x27;": "'" };

/** The tokens of a line. All that stands between the marks is text, whatever it looks like. */
export function tokensOf(marked: string): Token[] {
  const tokens: Token[] = [];
  const open: string[] = [];
  for (const piece of marked.split(/(<[^>]*>)/)) {
    if (piece === "") continue;
    if (piece === "</span>") open.pop();
    else if (piece.startsWith("<")) open.push(/class="hljs-([\w-]+)/.exec(piece)?.[1] ?? "");
    else {
      const text = piece.replaceAll(/&(?:amp|lt|gt|quot|#x27);/g, (entity) => entities[entity] ?? entity);
      tokens.push({ kind: open.findLast((kind) => kind !== "") ?? "", text });
    }
  }
  return tokens;
}
