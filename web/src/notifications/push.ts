import { createChannel, type Channel } from "../api/notifications";
import { browserName } from "../shell/browsername";

/** The channel of this browser, as it was made here. */
const stored = "countersign.push";

export const canPush = () =>
  window.isSecureContext && "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;

export function pushChannel(): string | null {
  try {
    return localStorage.getItem(stored);
  } catch {
    return null;
  }
}

/** The key of the installation as the browser wants it. */
export function keyBytes(key: string): Uint8Array<ArrayBuffer> {
  const text = atob(
    key
      .replaceAll("-", "+")
      .replaceAll("_", "/")
      .padEnd(Math.ceil(key.length / 4) * 4, "="),
  );
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
}

/** Asks the person, subscribes this browser and makes a channel of it. */
export async function subscribePush(publicKey: string, idempotencyKey: string): Promise<Channel> {
  if ((await Notification.requestPermission()) !== "granted")
    throw new Error("The browser does not let this site show notifications. Allow it in the settings of the browser.");
  await navigator.serviceWorker.register("/push.js");
  const registration = await navigator.serviceWorker.ready;
  // One of an installation with another key cannot be used.
  await (await registration.pushManager.getSubscription())?.unsubscribe();
  const subscription = await registration.pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: keyBytes(publicKey),
  });
  const { endpoint = "", keys = {} } = subscription.toJSON();
  const made = await createChannel(
    { kind: "push", name: browserName(navigator.userAgent), url: endpoint, p256dh: keys.p256dh, auth: keys.auth },
    idempotencyKey,
  );
  try {
    localStorage.setItem(stored, made.id);
  } catch {
    // Storage is blocked: the button stays.
  }
  return made;
}
