// outcome: timeout
export default () => ({ get x() { for (;;); } }).x
