// outcome: timeout
export default () => "aaa".replace(/a/g, () => { for (;;); })
