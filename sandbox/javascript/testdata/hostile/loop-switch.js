// outcome: timeout
export default () => { for (let s = 0; ;) switch (s) { case 0: s = 1; break; default: s = 0 } }
