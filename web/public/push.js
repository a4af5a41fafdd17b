// Service worker of web push: it shows a message, and opens its page when it is pressed. It serves no requests.
self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("push", (event) => {
  let message = {};
  try {
    message = event.data?.json() ?? {};
  } catch {
    // A message that cannot be read is shown as one without text: a browser must show something.
  }
  event.waitUntil(
    self.registration.showNotification(message.title || "Countersign", {
      body: message.body,
      tag: message.tag,
      renotify: Boolean(message.tag),
      requireInteraction: message.urgent === true,
      icon: "/favicon.svg",
      data: { url: message.url },
    }),
  );
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const page = new URL(event.notification.data?.url || "/", self.location.origin);
  // A message never leads to another site.
  const url = page.origin === self.location.origin ? page.href : self.location.origin;
  event.waitUntil(
    self.clients.matchAll({ type: "window", includeUncontrolled: true }).then((windows) => {
      const open = windows.find((window) => window.url === url);
      return open ? open.focus() : self.clients.openWindow(url);
    }),
  );
});
