// outcome: timeout
export default { toJSON() { for (;;); } }
