// Event, EventTarget and what aborts.
class Event {
  constructor(type, { bubbles = false, cancelable = false } = {}) {
    hidden.set(this, {
      of: Event, type: textOf(type), bubbles: !!bubbles, cancelable: !!cancelable,
      prevented: false, stopped: false, target: null, time: monotonic() - began,
    });
  }
  get type() { return stateOf(this, Event).type; }
  get bubbles() { return stateOf(this, Event).bubbles; }
  get cancelable() { return stateOf(this, Event).cancelable; }
  get defaultPrevented() { return stateOf(this, Event).prevented; }
  get target() { return stateOf(this, Event).target; }
  get currentTarget() { return stateOf(this, Event).target; }
  get timeStamp() { return stateOf(this, Event).time; }
  preventDefault() {
    const state = stateOf(this, Event);
    state.prevented = state.cancelable;
  }
  stopPropagation() {}
  stopImmediatePropagation() { stateOf(this, Event).stopped = true; }
}
tag(Event, 'Event');

const listeners = new WeakMap();
class EventTarget {
  constructor() {
    listeners.set(this, []);
  }
  addEventListener(type, listener, options = {}) {
    if (listener === null || listener === undefined) return;
    const { once = false, signal } = typeof options === 'object' ? options ?? {} : {};
    if (signal?.aborted) return;
    const all = listeners.get(this);
    if (all.some((l) => l.type === type && l.listener === listener)) return;
    all.push({ type: textOf(type), listener, once });
    signal?.addEventListener('abort', () => this.removeEventListener(type, listener));
  }
  removeEventListener(type, listener) {
    const all = listeners.get(this);
    const at = all.findIndex((l) => l.type === textOf(type) && l.listener === listener);
    if (at >= 0) all.splice(at, 1);
  }
  dispatchEvent(event) {
    const state = stateOf(event, Event);
    state.target = this;
    const on = this[`on${state.type}`];
    const called = [...listeners.get(this)].filter((l) => l.type === state.type);
    if (typeof on === 'function') called.unshift({ listener: on });
    for (const { type, listener, once } of called) {
      if (state.stopped) break;
      if (once) this.removeEventListener(type, listener);
      try {
        if (typeof listener === 'function') listener.call(this, event);
        else listener.handleEvent(event);
      } catch (e) {
        report(e);
      }
    }
    return !state.prevented;
  }
}
tag(EventTarget, 'EventTarget');

let making = false; // AbortSignal has no constructor for scripts
const newSignal = () => {
  making = true;
  try {
    return new AbortSignal();
  } finally {
    making = false;
  }
};
const abort = (signal, reason) => {
  const state = stateOf(signal, AbortSignal);
  if (state.aborted) return;
  state.aborted = true;
  state.reason = reason === undefined ? new DOMException('This operation was aborted', 'AbortError') : reason;
  signal.dispatchEvent(new Event('abort'));
};
class AbortSignal extends EventTarget {
  onabort = null;
  constructor() {
    if (!making) throw new TypeError('Illegal constructor');
    super();
    hidden.set(this, { of: AbortSignal, aborted: false, reason: undefined });
  }
  get aborted() { return stateOf(this, AbortSignal).aborted; }
  get reason() { return stateOf(this, AbortSignal).reason; }
  throwIfAborted() {
    if (this.aborted) throw this.reason;
  }
  static abort(reason) {
    const signal = newSignal();
    abort(signal, reason);
    return signal;
  }
  static timeout(ms) {
    const signal = newSignal();
    start(() => abort(signal, new DOMException('The operation timed out', 'TimeoutError')), ms, [], false);
    return signal;
  }
  static any(signals) {
    const signal = newSignal();
    const sources = [...signals];
    const aborted = sources.find((s) => s.aborted);
    if (aborted) abort(signal, aborted.reason);
    else for (const s of sources) s.addEventListener('abort', () => abort(signal, s.reason), { once: true });
    return signal;
  }
}
tag(AbortSignal, 'AbortSignal');
class AbortController {
  constructor() {
    hidden.set(this, { of: AbortController, signal: newSignal() });
  }
  get signal() { return stateOf(this, AbortController).signal; }
  abort(reason) { abort(this.signal, reason); }
}
tag(AbortController, 'AbortController');
for (const c of [Event, EventTarget, AbortSignal, AbortController]) expose(c.name, c);
