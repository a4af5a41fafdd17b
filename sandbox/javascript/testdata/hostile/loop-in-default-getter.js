// outcome: timeout
export default { get run() { for (;;); } }
