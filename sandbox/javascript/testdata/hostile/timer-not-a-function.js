// outcome: failed
export default () => setTimeout("for(;;);", 1)
