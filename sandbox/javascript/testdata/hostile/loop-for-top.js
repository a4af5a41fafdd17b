// outcome: timeout
for (;;);
export default 1
