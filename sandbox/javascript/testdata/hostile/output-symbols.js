// outcome: ok
console.log(Symbol("x"), [Symbol.iterator], Object.create(null), new (class X {})(), class Y {}, function z() {}, new Date(NaN))
export default 1
