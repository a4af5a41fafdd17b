// outcome: timeout
export default () => { for (let i = 0; ; i++, i--); }
