// outcome: ok
export default () => [NaN, Infinity, -0, undefined, () => 1]
