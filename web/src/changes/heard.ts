/** Whether this page receives change events, so that it need not poll. */
let hears = false;

export const heard = (): boolean => hears;

export function setHeard(now: boolean): void {
  hears = now;
}
