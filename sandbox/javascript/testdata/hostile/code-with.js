// outcome: failed
with ({}) {}
export default 1
