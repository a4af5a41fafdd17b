declare module "@countersign/sdk/healthcheck" {
  /** The context of a health check. */
  export interface HealthCheckContext {
    /** The configuration of the check. Its values are any JSON. */
    config: Record<string, any>;
    /** The environment variables that the script declares, its secrets among them. In a test a secret is a placeholder. */
    env: Record<string, string>;
    /** The check that runs. */
    check: {
      id: string;
      name: string;
      /** Seconds between two runs. */
      intervalSeconds: number;
    };
    /** The system that is checked. */
    system: {
      id: string;
      name: string;
    };
    /** The environment that is checked; absent when the check runs for none. */
    environment?: {
      id: string;
      name: string;
      /** The custom fields of the environment, such as baseUrl. Their values are any JSON. */
      fields: Record<string, any>;
    };
  }

  /** The outcome of a health check. */
  export interface HealthCheckResult {
    success: boolean;
    /** Said to people, in the history of the check and in notifications. */
    message?: string;
    /** A measurement to keep, such as a latency in milliseconds. */
    value?: number;
  }

  /**
   * What a health check may return: a result; a boolean, which is whether it succeeded; a number, which is a success
   * with that value; nothing, which is a success. An error that is thrown is a failure with the error's message.
   */
  export type HealthCheckReturn = HealthCheckResult | boolean | number | undefined | void;

  export type HealthCheck = (context: HealthCheckContext) => HealthCheckReturn | Promise<HealthCheckReturn>;

  /** Types a health check. Export what it returns as the default. */
  export function defineHealthCheck(check: HealthCheck): HealthCheck;
}

/** The context of this run; the same as the argument of the health check. */
declare const context: import("@countersign/sdk/healthcheck").HealthCheckContext;
