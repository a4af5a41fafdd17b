import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page, Worker } from "playwright-core";

/** A message as the service worker gets it. */
export interface PushMessage {
  title: string;
  body: string;
  url: string;
  tag: string;
  urgent: boolean;
}

interface Received {
  headers: IncomingHttpHeaders;
  body: Buffer;
}

const encoded = (bytes: Buffer) => bytes.toString("base64url");

/**
 * A push service with the keys of one browser. A browser without the internet has none, so it stands behind a stub of
 * PushManager; messages are encrypted (RFC 8291) and signed (RFC 8292) as for any other.
 */
export class PushService {
  readonly #server: Server;
  readonly #browser = createECDH("prime256v1");
  readonly #auth = randomBytes(16);
  readonly received: Received[] = [];

  private constructor() {
    this.#browser.generateKeys();
    this.#server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on("data", (part: Buffer) => parts.push(part));
      request.on("end", () => {
        this.received.push({ headers: request.headers, body: Buffer.concat(parts) });
        response.writeHead(201).end();
      });
    });
  }

  static async start(): Promise<PushService> {
    const service = new PushService();
    await new Promise<void>((listening) => service.#server.listen(0, "127.0.0.1", listening));
    return service;
  }

  stop(): Promise<unknown> {
    return new Promise((closed) => this.#server.close(closed));
  }

  get #origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Has pages subscribe here, and the person allow it. */
  async serves(page: Page): Promise<void> {
    const json = {
      endpoint: `${this.#origin}/send/1`,
      keys: { p256dh: encoded(this.#browser.getPublicKey()), auth: encoded(this.#auth) },
    };
    await page.addInitScript((subscription) => {
      Notification.requestPermission = () => Promise.resolve("granted");
      PushManager.prototype.getSubscription = () => Promise.resolve(null);
      PushManager.prototype.subscribe = (options) =>
        options?.userVisibleOnly && options.applicationServerKey
          ? Promise.resolve({ toJSON: () => subscription } as unknown as PushSubscription)
          : Promise.reject(new TypeError("a browser wants both"));
    }, json);
  }

  /** The message of a request, if the installation with this key has signed it for this service. */
  open({ headers, body }: Received, installation: string): PushMessage {
    this.#verify(headers.authorization ?? "", installation);
    if (headers["content-encoding"] !== "aes128gcm") throw new Error(`coded as ${headers["content-encoding"]}`);
    const salt = body.subarray(0, 16);
    const sender = body.subarray(21, 21 + body.readUInt8(20));
    const sealed = body.subarray(21 + sender.length);
    const info = Buffer.concat([Buffer.from("WebPush: info\0"), this.#browser.getPublicKey(), sender]);
    const secret = Buffer.from(hkdfSync("sha256", this.#browser.computeSecret(sender), this.#auth, info, 32));
    const derive = (name: string, length: number) =>
      Buffer.from(hkdfSync("sha256", secret, salt, `Content-Encoding: ${name}\0`, length));
    const decipher = createDecipheriv("aes-128-gcm", derive("aes128gcm", 16), derive("nonce", 12));
    decipher.setAuthTag(sealed.subarray(-16));
    const padded = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
    // The last record ends with a 2 before its padding.
    return JSON.parse(padded.subarray(0, padded.lastIndexOf(2)).toString()) as PushMessage;
  }

  #verify(authorization: string, installation: string): void {
    const [, token = "", key = ""] = /^vapid t=([^,]+), ?k=(.+)$/i.exec(authorization) ?? [];
    const [header = "", claims = "", signature = ""] = token.split(".");
    const point = Buffer.from(key, "base64url");
    const jwk = { kty: "EC", crv: "P-256", x: encoded(point.subarray(1, 33)), y: encoded(point.subarray(33)) };
    const publicKey = { key: createPublicKey({ key: jwk, format: "jwk" }), dsaEncoding: "ieee-p1363" as const };
    const { aud } = JSON.parse(Buffer.from(claims, "base64url").toString()) as { aud: string };
    if (!point.equals(Buffer.from(installation, "base64url"))) throw new Error("signed by another installation");
    if (aud !== this.#origin) throw new Error(`signed for ${aud}`);
    if (!verify("sha256", Buffer.from(`${header}.${claims}`), publicKey, Buffer.from(signature, "base64url")))
      throw new Error("the signature is wrong");
  }
}

interface Shown {
  title: string;
  body: string;
  url: string;
}

/** The part of the global scope of a service worker that a test replaces. */
interface WorkerScope {
  registration: {
    showNotification: (title: string, options: { body: string; data: { url: string } }) => Promise<void>;
  };
  shown: Promise<Shown>;
}

/** Delivers a message to the service worker, and returns the notification of it: a headless browser displays none. */
export async function shown(page: Page, message: PushMessage): Promise<Shown> {
  const context = page.context();
  const worker: Worker = context.serviceWorkers()[0] ?? (await context.waitForEvent("serviceworker"));
  await worker.evaluate(() => {
    const scope = self as unknown as WorkerScope;
    scope.shown = new Promise((resolve) => {
      scope.registration.showNotification = (title, { body, data }) => {
        resolve({ title, body, url: data.url });
        return Promise.resolve();
      };
    });
  });
  const devtools = await context.newCDPSession(page);
  const registered = new Promise<string>((found) =>
    devtools.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      const [first] = registrations;
      if (first) found(first.registrationId);
    }),
  );
  await devtools.send("ServiceWorker.enable");
  await devtools.send("ServiceWorker.deliverPushMessage", {
    origin: new URL(page.url()).origin,
    registrationId: await registered,
    data: JSON.stringify(message),
  });
  return worker.evaluate(() => (self as unknown as WorkerScope).shown);
}
