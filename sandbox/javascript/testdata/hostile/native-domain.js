// outcome: timeout
export default () => { for (;;) try { new URL(`http://${"ü".repeat(900)}/`) } catch {} }
