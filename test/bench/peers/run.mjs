// Runs a script again and again inside one Node process, in the way of one peer. The first line of standard input says what;
// "ready" is answered, and after a second line the times are measured and written as JSON.
import { createInterface } from 'node:readline';

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const next = async () => (await lines.next()).value;

// isolating peers have no fetch: the script asks the host for the text of a URL.
const fetchShim = `globalThis.fetch = async (url) => {
  const text = await hostFetch(url);
  return { json: async () => JSON.parse(text) };
};`;
const call = (script) => `(async () => JSON.stringify(await (${script})(JSON.parse(input))))()`;
const hostFetch = async (url) => (await fetch(url)).text();

// A peer prepares once, answers what runs the script, and what keeps one more instance alive.
const peers = {
  async function({ script, input }) {
    const run = (0, eval)(`(${script})`);
    const context = JSON.parse(input);
    return { run: () => run(context) };
  },

  async vm({ script, input }) {
    const vm = await import('node:vm');
    const make = () => vm.createContext({ input, fetch });
    const compiled = new vm.Script(call(script));
    return { run: async () => JSON.parse(await compiled.runInContext(make(), { timeout: 10_000 })), hold: make };
  },

  async 'isolated-vm'({ script, input }) {
    const { default: ivm } = await import('isolated-vm');
    const make = async () => {
      const isolate = new ivm.Isolate({ memoryLimit: 64 });
      const context = await isolate.createContext();
      await context.global.set('input', input);
      await context.global.set('reference', new ivm.Reference(hostFetch));
      await context.eval(
        `const hostFetch = (url) => reference.apply(undefined, [url], { result: { promise: true, copy: true } });${fetchShim}`,
      );
      return { isolate, context };
    };
    return {
      hold: make,
      run: async () => {
        const { isolate, context } = await make();
        try {
          return JSON.parse(await context.eval(call(script), { promise: true, timeout: 10_000 }));
        } finally {
          isolate.dispose();
        }
      },
    };
  },

  async 'quickjs-emscripten'({ script, input }) {
    const { getQuickJS, shouldInterruptAfterDeadline } = await import('quickjs-emscripten');
    const quickjs = await getQuickJS();
    const make = () => {
      const runtime = quickjs.newRuntime();
      runtime.setMemoryLimit(48 << 20);
      runtime.setMaxStackSize(512 << 10);
      runtime.setInterruptHandler(shouldInterruptAfterDeadline(Date.now() + 10_000));
      const context = runtime.newContext();
      const text = context.newString(input);
      context.setProp(context.global, 'input', text);
      text.dispose();
      const host = context.newFunction('hostFetch', (url) => {
        const promise = context.newPromise();
        hostFetch(context.getString(url)).then((answer) => context.newString(answer).consume((handle) => promise.resolve(handle)));
        promise.settled.then(() => runtime.executePendingJobs());
        return promise.handle;
      });
      context.setProp(context.global, 'hostFetch', host);
      host.dispose();
      context.unwrapResult(context.evalCode(fetchShim)).dispose();
      return { runtime, context };
    };
    return {
      hold: make,
      run: async () => {
        const { runtime, context } = make();
        const promise = context.unwrapResult(context.evalCode(call(script)));
        const settled = context.resolvePromise(promise);
        runtime.executePendingJobs();
        const handle = context.unwrapResult(await settled);
        const text = context.getString(handle);
        handle.dispose();
        promise.dispose();
        context.dispose();
        runtime.dispose();
        return JSON.parse(text);
      },
    };
  },
};

async function main() {
  const task = JSON.parse(await next());
  let peer;
  try {
    peer = await peers[task.peer](task);
    for (let i = 0; i < 5; i++) {
      const got = JSON.stringify(await peer.run());
      if (got !== task.wanted) throw new Error(`answered ${got}, not ${task.wanted}`);
    }
  } catch (error) {
    const missing = error.code === 'ERR_MODULE_NOT_FOUND' || /isolated_vm|was compiled against/.test(error.message);
    console.log(JSON.stringify(missing ? { missing: true } : { error: String(error) }));
    return;
  }
  console.log('"ready"');
  await next();
  const ms = [];
  const begun = performance.now();
  let now = begun;
  while (now - begun < task.budget && ms.length < 50_000) {
    await peer.run();
    const after = performance.now();
    ms.push(after - now);
    now = after;
  }
  const rate = ms.length / ((now - begun) / 1000);
  let memory = 0;
  if (peer.hold && task.hold) {
    const before = process.memoryUsage().rss;
    const held = [];
    for (let i = 0; i < 20; i++) held.push(await peer.hold());
    memory = (process.memoryUsage().rss - before) / held.length / 1e6;
  }
  console.log(JSON.stringify({ ms, rate, memory }));
}

await main();
// What is written to a pipe has to be taken before the end.
process.stdout.write('', () => process.exit(0));
