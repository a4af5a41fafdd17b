// outcome: ok
const t = new EventTarget(); let n = 0; t.addEventListener("x", () => { n++; t.dispatchEvent(new Event("x")) })
export default () => { t.dispatchEvent(new Event("x")); return n > 10 }
