// outcome: failed
export default class A { constructor() { for (;;); } }
