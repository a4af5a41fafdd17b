// outcome: memory
export default () => { const a = []; for (;;) a.push(1, 2, 3, 4, 5, 6, 7, 8) }
