// outcome: timeout
export default () => { const it = { [Symbol.iterator]: () => ({ next: () => ({ done: false }), return() { for (;;); } }) }; for (const x of it) break }
