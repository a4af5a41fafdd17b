import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import postgres from "postgres";
import { Person, type Credentials } from "./person";
import { binary, freePort, Process } from "./process";

/** A process of an installation with its address. */
export interface Product {
  url: string;
  process: Process;
}

/** Compiled script engines, shared by the installations of all test runs: each would compile for eight seconds of CPU time. */
const engines = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "countersign-test", "engines");

/** One database with any number of processes around it. */
export class Installation {
  readonly #environment: NodeJS.ProcessEnv;
  readonly #data: string;
  readonly #processes: Process[] = [];

  private constructor(environment: NodeJS.ProcessEnv, data: string) {
    this.#environment = environment;
    this.#data = data;
  }

  /** Makes an empty one on the servers that `bin/devstack exec` names in the environment. Its first process migrates a bare database. */
  static async create(
    settings: Record<string, string> = {},
    database: "migrated" | "bare" = "migrated",
  ): Promise<Installation> {
    const server = required("COUNTERSIGN_TEST_DATABASE_URL");
    const name = `e2e_${randomBytes(6).toString("hex")}`;
    const sql = postgres(server, { max: 1 });
    try {
      const template = database === "migrated" ? await migrated(sql, server) : "template1";
      await sql.unsafe(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`);
    } finally {
      await sql.end();
    }
    const data = await mkdtemp(join(tmpdir(), "countersign-e2e-"));
    await mkdir(engines, { recursive: true, mode: 0o700 });
    return new Installation(
      {
        ...process.env,
        DATABASE_URL: databaseOf(server, name),
        TEMPORAL_ADDRESS: required("COUNTERSIGN_TEST_TEMPORAL_ADDRESS"),
        COUNTERSIGN_QUEUE_PREFIX: name,
        COUNTERSIGN_DATA: data,
        COUNTERSIGN_CACHE: engines,
        COUNTERSIGN_DEMO_SCRIPTS: "true",
        COUNTERSIGN_MAX_RUNNING_TURNS: "1000",
        COUNTERSIGN_MAX_OPEN_STREAMS: "1000",
        COUNTERSIGN_MAX_RUNNING_PROBES: "1000",
        ...settings,
      },
      data,
    );
  }

  /** Starts a process on a port, a free one unless another is given, and waits until it is ready. */
  async start(role: "all" | "api" | "worker", at?: string): Promise<Product> {
    const port = at ? Number(new URL(at).port) : await freePort();
    const url = `http://127.0.0.1:${port}`;
    const env = { ...this.#environment, PORT: String(port) };
    const started = await Process.start({ args: [role], env, ready: { url: `${url}/readyz` } });
    this.#processes.push(started);
    return { url, process: started };
  }

  /** Runs SQL in its database, to simulate damage. */
  async query(statement: string): Promise<Record<string, unknown>[]> {
    const sql = postgres(required("DATABASE_URL", this.#environment), { max: 1 });
    try {
      return [...(await sql.unsafe(statement))];
    } finally {
      await sql.end();
    }
  }

  /** Credentials of the administrator that the first process has created, with no forced password change. */
  async credentials(): Promise<Credentials> {
    await this.query("UPDATE users SET must_change_password = false");
    return JSON.parse(await readFile(join(this.#data, "credentials.json"), "utf8")) as Credentials;
  }

  /** That administrator, signed in. */
  async administrator({ url }: Product): Promise<Person> {
    return Person.signIn(url, await this.credentials());
  }

  /** Stops what still runs; a process that does not drain is an error. */
  async stop(): Promise<void> {
    const ended = await Promise.allSettled(this.#processes.map((running) => running.stop()));
    await rm(this.#data, { recursive: true, force: true });
    const failed = ended.filter((end) => end.status === "rejected").map((end): unknown => end.reason);
    if (failed.length > 0) throw new AggregateError(failed, failed.map(String).join("\n"));
  }
}

/** The name of an empty database with the schema of the binary. To migrate it takes ten times as long as to copy it. */
async function migrated(sql: postgres.Sql, server: string): Promise<string> {
  const { mtimeMs, size } = await stat(binary);
  const name = `e2e_template_${size}_${Math.trunc(mtimeMs)}`;
  // Workers of the test run ask at the same time. The lock ends with the connection.
  await sql`SELECT pg_advisory_lock(hashtextextended(${name}, 0))`;
  if ((await sql`SELECT FROM pg_database WHERE datname = ${name}`).length === 0) {
    const building = `${name}_building`;
    await sql.unsafe(`DROP DATABASE IF EXISTS ${building} WITH (FORCE)`);
    await sql.unsafe(`CREATE DATABASE ${building}`);
    await promisify(execFile)(binary, ["migrate"], {
      env: { ...process.env, DATABASE_URL: databaseOf(server, building) },
    });
    await sql.unsafe(`ALTER DATABASE ${building} RENAME TO ${name}`);
  }
  await sql`SELECT pg_advisory_unlock(hashtextextended(${name}, 0))`;
  return name;
}

function databaseOf(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

function required(variable: string, environment = process.env): string {
  const value = environment[variable];
  if (!value) throw new Error(`${variable} is not set: run this with \`bin/devstack exec -- npm --prefix e2e test\``);
  return value;
}
