// outcome: ok
export default () => Promise.race([new Promise(() => {}), 1])
