// outcome: timeout
export default () => { for (;;) new URL(`http://${"a.".repeat(300)}example/${"../".repeat(300)}`) }
