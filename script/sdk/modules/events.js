// events: EventEmitter.
export class EventEmitter {
  #listeners = new Map();
  #add(name, listener, once, first) {
    if (typeof listener !== 'function') throw new TypeError('The listener must be a function');
    const list = this.#listeners.get(name) ?? [];
    const entry = { listener, once };
    this.#listeners.set(name, first ? [entry, ...list] : [...list, entry]);
    return this;
  }
  on(name, listener) { return this.#add(name, listener, false, false); }
  once(name, listener) { return this.#add(name, listener, true, false); }
  prependListener(name, listener) { return this.#add(name, listener, false, true); }
  prependOnceListener(name, listener) { return this.#add(name, listener, true, true); }
  off(name, listener) {
    const list = this.#listeners.get(name) ?? [];
    const at = list.findLastIndex((entry) => entry.listener === listener);
    if (at < 0) return this;
    if (list.length === 1) this.#listeners.delete(name);
    else this.#listeners.set(name, list.toSpliced(at, 1));
    return this;
  }
  emit(name, ...args) {
    const list = this.#listeners.get(name);
    if (list === undefined) {
      if (name === 'error') throw args[0] instanceof Error ? args[0] : new Error(`Unhandled error. (${String(args[0])})`);
      return false;
    }
    for (const entry of list) {
      if (entry.once) this.off(name, entry.listener);
      entry.listener.apply(this, args);
    }
    return true;
  }
  removeAllListeners(name) {
    if (name === undefined) this.#listeners.clear();
    else this.#listeners.delete(name);
    return this;
  }
  listeners(name) { return (this.#listeners.get(name) ?? []).map((entry) => entry.listener); }
  rawListeners(name) { return this.listeners(name); }
  listenerCount(name) { return this.#listeners.get(name)?.length ?? 0; }
  eventNames() { return [...this.#listeners.keys()]; }
  setMaxListeners() { return this; }
  getMaxListeners() { return Infinity; }
}
EventEmitter.prototype.addListener = EventEmitter.prototype.on;
EventEmitter.prototype.removeListener = EventEmitter.prototype.off;

export const once = (emitter, name) => new Promise((resolve, reject) => {
  const fail = (error) => {
    emitter.off(name, done);
    reject(error);
  };
  const done = (...args) => {
    emitter.off('error', fail);
    resolve(args);
  };
  emitter.once(name, done);
  if (name !== 'error') emitter.once('error', fail);
});
EventEmitter.EventEmitter = EventEmitter;
EventEmitter.once = once;

export default EventEmitter;
