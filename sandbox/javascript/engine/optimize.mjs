// Makes dist/quickjs.wasm of the module from npm, so that wazero's compiler makes faster code of it: `node optimize.mjs`.
// What each step is for, and what it is worth, is in docs/decisions/011-script-sandbox-quickjs-wazero.md.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = (...path) => join(fileURLToPath(new URL('.', import.meta.url)), ...path);

// What the host calls. Nothing else can be reached from outside, and what only the rest needs is gone.
const exported = new Set(`memory __stack_pointer _initialize wasm_malloc wasm_free qjs_init qjs_set_memory_limit
  qjs_set_max_stack_size qjs_set_module_loader qjs_set_promise_rejection_handler qjs_eval qjs_call qjs_execute_pending_job qjs_promise_state
  qjs_promise_result qjs_run_gc qjs_throw qjs_new_error qjs_get_exception qjs_is_exception qjs_is_string qjs_is_undefined
  qjs_is_array_buffer qjs_get_undefined qjs_get_global qjs_get_float64 qjs_get_string_len qjs_get_array_buffer
  qjs_get_prop_string qjs_set_prop_string qjs_define_prop_value qjs_new_object qjs_new_string qjs_new_array_buffer
  qjs_new_host_function qjs_free_value qjs_free_cstring`.split(/\s+/));

const features = ['--mvp-features', '--enable-bulk-memory', '--enable-bulk-memory-opt', '--enable-sign-ext',
  '--enable-nontrapping-float-to-int', '--enable-mutable-globals', '--enable-multivalue', '--enable-reference-types'];

// An expression of the text format is an array: its operator, then names, numbers and expressions.
function parse(text) {
  const stack = [[]];
  for (const [token] of text.matchAll(/;;[^\n]*|"(?:[^"\\]|\\.)*"|[()]|[^\s()";]+/g)) {
    if (token === '(') stack.push([]);
    else if (token === ')') stack.at(-2).push(stack.pop());
    else if (!token.startsWith(';;')) stack.at(-1).push(token);
  }
  return stack[0][0];
}

function print(node, out = []) {
  out.push('(');
  for (const part of node) {
    if (Array.isArray(part)) print(part, out);
    else out.push(part, ' ');
  }
  out.push(')\n');
  return out;
}

const is = (node, operator) => Array.isArray(node) && node[0] === operator;

function visit(node, see) {
  if (!Array.isArray(node)) return;
  see(node);
  for (const part of node) visit(part, see);
}

// replace changes a tree from its leaves up; `by` answers the new expression, or nothing.
function replace(node, by) {
  for (let i = 0; i < node.length; i++) {
    if (!Array.isArray(node[i])) continue;
    replace(node[i], by);
    node[i] = by(node[i]) ?? node[i];
  }
}

function holds(node, wanted) {
  let found = false;
  visit(node, (n) => { found ||= n === wanted; });
  return found;
}

function expect(condition, what) {
  if (!condition) throw new Error(`${what}: this is another engine than the one that optimize.mjs was written for`);
}

// constantData answers four bytes of the initial memory as a number.
function constantData(module, address) {
  for (const segment of module.filter((n) => is(n, 'data'))) {
    const start = Number(segment.find((n) => is(n, 'i32.const'))?.[1]);
    const escapes = { t: 9, n: 10, r: 13, '"': 34, "'": 39, '\\': 92 };
    segment.bytes ??= Buffer.from([...segment.at(-1).slice(1, -1).matchAll(/\\([0-9a-f]{2})|\\(.)|([^\\])/gs)]
      .map(([, hex, escape, plain]) => hex ? parseInt(hex, 16) : escape ? escapes[escape] : plain.charCodeAt(0)));
    if (address >= start && address + 4 <= start + segment.bytes.length) return segment.bytes.readInt32LE(address - start);
  }
  return undefined;
}

// dispatcher finds the interpreter: the function with the jump table over the codes of operations.
function dispatcher(module) {
  const found = [];
  for (const f of module.filter((n) => is(n, 'func'))) {
    visit(f, (n) => { if (is(n, 'br_table') && n.length > 200) found.push([f, n]); });
  }
  expect(found.length === 1, 'the jump table');
  return found[0];
}

// The engine looks before each operation whether it shall print it. Only JS_SetDumpFlags could ask for that, which is
// not exported.
function removeTracing(interpreter) {
  let removed = 0;
  replace(interpreter, (n) => {
    if (!is(n, 'if') || n.length !== 3 || !is(n[1], 'i32.and') || !is(n[1][1], 'i32.load8_u')) return undefined;
    const [, [, [, offset, pointer], mask], then] = n;
    if (offset !== 'offset=753' || mask[1] !== '128' || then.length !== 2 || !is(then[1], 'call')) return undefined;
    removed++;
    const kept = [];
    visit(pointer, (p) => { if (is(p, 'local.tee')) kept.push(p); });
    expect(kept.length < 2, 'what tracing computes');
    return kept.length ? ['drop', kept[0]] : ['nop'];
  });
  expect(removed === 223, `${removed} times tracing`);
}

// The engine takes the label of an operation from a table in its memory, and then jumps by a table of labels. The first
// table is constant, so one jump is enough.
function mergeTables(module, jump) {
  const [, [load, offset, [shift, code, two]], [, first]] = jump.at(-1);
  const indexed = load === 'i32.load' && shift === 'i32.shl' && two[1] === '2';
  expect(indexed && is(code, 'local.tee') && is(code[2], 'i32.load8_u'), 'the index of the jump');
  const labels = jump.slice(1, -1);
  const table = Number(offset.split('=')[1]);
  const merged = Array.from({ length: 256 }, (_, operation) => {
    const label = constantData(module, table + 4 * operation) - Number(first);
    return labels[label >= 0 ? Math.min(label, labels.length - 1) : labels.length - 1];
  });
  expect(new Set(merged).size === 226, 'the labels');
  jump.splice(1, jump.length, ...merged, labels.at(-1), code);
}

// Sums that do not change while the interpreter loops were taken out of the loop, which is right for a machine with many
// registers. wazero moves each of them from the stack and back with every operation.
function computeAgain(interpreter, jump) {
  let loop;
  visit(interpreter, (n) => { if (is(n, 'loop') && holds(n, jump)) loop ??= n; });
  const assigned = new Map();
  visit(interpreter, (n) => {
    if (is(n, 'local.set') || is(n, 'local.tee')) assigned.set(n[1], [...assigned.get(n[1]) ?? [], n]);
  });
  const parameters = new Set(interpreter.filter((n) => is(n, 'param')).map((n) => n[1]));
  const cheap = new Set([
    'i32.add', 'i32.sub', 'i32.shl', 'i64.and', 'i64.extend_i32_u', 'i32.wrap_i64', 'i32.const', 'i64.const', 'local.get',
  ]);
  let again = 0;
  for (const [local, [set, ...more]] of assigned) {
    if (more.length || parameters.has(local) || !is(set, 'local.set') || !holds(loop, set)) continue;
    let fits = true;
    visit(set[2], (n) => {
      fits &&= cheap.has(n[0]);
      if (is(n, 'local.get')) fits &&= (assigned.get(n[1]) ?? []).every((other) => !holds(loop, other));
    });
    visit(loop, (n) => { if (n !== loop && is(n, 'loop')) fits &&= !holds(n, set); });
    // What reads it must come after the assignment in the same round.
    let before = true;
    visit(interpreter, (n) => {
      if (n === set) before = false;
      if (is(n, 'local.get') && n[1] === local) fits &&= !before && holds(loop, n);
    });
    if (!fits) continue;
    again++;
    replace(interpreter, (n) => n === set ? ['nop'] : is(n, 'local.get') && n[1] === local ? structuredClone(set[2]) : undefined);
  }
  expect(again === 18, `${again} sums`);
}

// check answers the path of a file that is the one whose SHA-256 is in the source.
function check(path, digest) {
  const [wanted] = readFileSync(here(digest), 'utf8').split(' ');
  const got = createHash('sha256').update(readFileSync(path)).digest('hex');
  if (got !== wanted) throw new Error(`${path} has the SHA-256 ${got}, and is not the file that ${digest} names`);
  return path;
}

function main() {
  const source = check(here('node_modules/quickjs-wasi/quickjs.wasm'), 'source.sha256');
  const folder = mkdtempSync(join(tmpdir(), 'countersign-engine-'));
  const tool = (name, ...args) => execFileSync(process.execPath, [here('node_modules/binaryen/bin', name), ...args], { stdio: 'inherit' });
  try {
    const text = join(folder, 'quickjs.wat');
    const result = join(folder, 'quickjs.wasm');
    tool('wasm-dis', source, '-o', text);
    const module = parse(readFileSync(text, 'utf8')).filter((n) => !is(n, 'export') || exported.has(JSON.parse(n[1])));
    expect(module.filter((n) => is(n, 'export')).length === exported.size, 'the exports');
    const [interpreter, jump] = dispatcher(module);
    removeTracing(interpreter);
    mergeTables(module, jump);
    computeAgain(interpreter, jump);
    writeFileSync(text, print(module).join(''));
    // The lowest kilobyte is the far end of the stack, which the limit of the stack keeps scripts away from.
    tool('wasm-opt', ...features, text, '-O3', '--low-memory-unused', '--always-inline-max-function-size=20',
      '--flexible-inline-max-function-size=40', '-o', result);
    copyFileSync(check(result, 'quickjs.sha256'), here('dist/quickjs.wasm'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

main();
