// outcome: timeout
export default () => new Promise(() => { const f = () => queueMicrotask(f); f() })
