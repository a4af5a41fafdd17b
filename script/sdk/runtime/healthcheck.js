export const defineHealthCheck = (check) => check;
