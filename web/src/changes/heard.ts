/** Whether this page hears what changes: what is said need not be asked for. */
let hears = false;

export const heard = (): boolean => hears;

export function setHeard(now: boolean): void {
  hears = now;
}
