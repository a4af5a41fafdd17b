// outcome: timeout
export default () => new Promise(() => { const f = () => setTimeout(f, 0); f() })
