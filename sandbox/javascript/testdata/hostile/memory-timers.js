// outcome: memory, timeout
export default () => { for (;;) setTimeout(() => {}, 1e6) }
