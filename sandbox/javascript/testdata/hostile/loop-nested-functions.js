// outcome: timeout
const a = () => 1; export default () => { for (;;) a(a(a())) }
