/**
 * The server's clock decides when a proposal expires, so countdowns run on it.
 * The Date header has whole seconds; smaller offsets are noise and ignored.
 */
const tolerance = 2_000;

let offset = 0;

export function observeServerDate(header: string | null, now: number = Date.now()): void {
  if (!header) return;
  const server = Date.parse(header);
  if (Number.isNaN(server)) return;
  const measured = server - now;
  offset = Math.abs(measured) > tolerance ? measured : 0;
}

/** Milliseconds since the epoch by the server's clock. */
export function serverNow(): number {
  return Date.now() + offset;
}
