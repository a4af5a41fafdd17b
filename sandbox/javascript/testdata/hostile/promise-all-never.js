// outcome: stalled
export default () => Promise.all([1, new Promise(() => {})])
