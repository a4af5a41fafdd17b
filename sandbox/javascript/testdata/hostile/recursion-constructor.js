// outcome: failed
class A { constructor() { this.a = new A() } }
export default () => new A()
