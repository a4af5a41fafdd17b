export const defineAction = (action) => action;
