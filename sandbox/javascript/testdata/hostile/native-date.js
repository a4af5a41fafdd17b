// outcome: timeout
export default () => { for (;;) new Date(Math.random() * 1e12).toString() }
