// outcome: timeout
export default () => Promise.resolve(1).finally(() => { for (;;); })
