export interface Credentials {
  email: string;
  password: string;
}

/** A signed-in person at one process of the product. */
export class Person {
  readonly base: string;
  readonly cookie: string;

  private constructor(base: string, cookie: string) {
    this.base = base;
    this.cookie = cookie;
  }

  static async signIn(base: string, { email, password }: Credentials): Promise<Person> {
    const response = await fetch(`${base}/api/auth/login`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email, password }),
    });
    if (!response.ok) throw new Error(`sign-in: ${response.status} ${await response.text()}`);
    const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(";")[0]);
    return new Person(base, cookies.join("; "));
  }

  /** The same session at another process of the installation. */
  at(base: string): Person {
    return new Person(base, this.cookie);
  }

  /** Calls the API; any status is an answer. */
  request(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set("cookie", this.cookie);
    return fetch(this.base + path, { ...init, headers });
  }

  async get<T>(path: string): Promise<T> {
    return (await this.#answer("GET", path)) as T;
  }

  async post<T>(path: string, body: object = {}): Promise<T> {
    return (await this.#answer("POST", path, body)) as T;
  }

  async patch<T>(path: string, body: object): Promise<T> {
    return (await this.#answer("PATCH", path, body)) as T;
  }

  async put<T>(path: string, body: object): Promise<T> {
    return (await this.#answer("PUT", path, body)) as T;
  }

  async #answer(method: string, path: string, body?: object): Promise<unknown> {
    const init = body ? { headers: { "content-type": "application/json" }, body: JSON.stringify(body) } : {};
    const response = await this.request(path, { method, ...init });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === "" ? null : JSON.parse(text);
  }
}
