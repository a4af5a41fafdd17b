// outcome: timeout
class A { static { for (;;); } }
export default 1
