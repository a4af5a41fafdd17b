// outcome: timeout
export default () => JSON.parse("[1,2]", () => { for (;;); })
