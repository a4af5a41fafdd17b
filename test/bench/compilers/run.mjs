// Compiles the sources of the first line of stdin, {sources, declarations, lib}, and prints how long each took in milliseconds: esbuild's
// transform alone, with a parse by the TypeScript compiler, and with its check of types. The program of the check is kept warm: only
// the author's file is new each time.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { performance } from 'node:perf_hooks';

let esbuild;
let ts;
try {
  esbuild = await import('esbuild');
  ({ default: ts } = await import('typescript'));
} catch {
  console.log(JSON.stringify({ missing: true }));
  process.exit(0);
}
const [line] = await new Promise((resolve) => createInterface({ input: process.stdin }).once('line', (text) => resolve([text])));
const { sources, declarations } = JSON.parse(line);

const options = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  strict: true,
  noEmit: true,
  lib: ['lib.es2022.d.ts'],
  types: [],
};
const host = ts.createCompilerHost(options);
const read = new Map();
const own = host.getSourceFile.bind(host);
let source = '';
host.getSourceFile = (name, target) => {
  if (name === 'script.ts') return ts.createSourceFile(name, source, target, true);
  if (!read.has(name)) read.set(name, declarations[name] ? ts.createSourceFile(name, declarations[name], target, true) : own(name, target));
  return read.get(name);
};
host.fileExists = (name) => name === 'script.ts' || name in declarations || ts.sys.fileExists(name);
host.readFile = (name) => declarations[name] ?? readFileSync(name, 'utf8');

let before;
const check = () => {
  const program = ts.createProgram(['script.ts', ...Object.keys(declarations)], options, host, before);
  before = program;
  const file = program.getSourceFile('script.ts');
  return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
};
const transform = (text) => esbuild.transform(text, { loader: 'ts', format: 'esm', target: 'es2022', sourcemap: 'external' });

const measured = { transform: [], parse: [], check: [] };
let found = 0;
for (const [i, text] of sources.entries()) {
  let begun = performance.now();
  await transform(text);
  const transformed = performance.now() - begun;
  begun = performance.now();
  ts.createSourceFile('script.ts', text, options.target, true);
  const parsed = performance.now() - begun;
  source = text;
  begun = performance.now();
  found += check().length;
  const checked = performance.now() - begun;
  if (i < 20) continue; // the first ones warm up
  measured.transform.push(transformed);
  measured.parse.push(transformed + parsed);
  measured.check.push(transformed + checked);
}
await esbuild.stop();
console.log(JSON.stringify({ measured, found }));
