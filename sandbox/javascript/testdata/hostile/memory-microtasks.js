// outcome: memory, timeout
export default () => { for (;;) queueMicrotask(() => {}) }
