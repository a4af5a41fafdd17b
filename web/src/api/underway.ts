let running = 0;

const ask = (event: BeforeUnloadEvent) => event.preventDefault();

/**
 * Sends a write. Until the server has answered, the browser asks before the page is closed or left for another one: what was to be saved
 * may not have arrived, and there would be nobody to say so.
 */
export async function underWay<Answer>(write: () => Promise<Answer>): Promise<Answer> {
  if (running++ === 0) window.addEventListener("beforeunload", ask);
  try {
    return await write();
  } finally {
    if (--running === 0) window.removeEventListener("beforeunload", ask);
  }
}
