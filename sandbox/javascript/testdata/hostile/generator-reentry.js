// outcome: failed
export default () => { let i; function* g() { i.next() } i = g(); i.next() }
