// outcome: timeout
export default () => [3, 1, 2].sort(() => { for (;;); })
