// outcome: ok
export default () => { let d = 0; const f = () => { d++; f() }; try { f() } catch (e) { return e.name } }
