// outcome: timeout
export default () => JSON.stringify([1], () => { for (;;); })
