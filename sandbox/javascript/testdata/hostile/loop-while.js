// outcome: timeout
export default () => { while (true); }
