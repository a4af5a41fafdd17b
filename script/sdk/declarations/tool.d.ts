declare module "@countersign/sdk/tool" {
  /** The context of a call of a custom tool. */
  export interface CustomToolContext {
    secrets: {
      /** A placeholder for a secret, which is filled in where a request leaves the sandbox. The name is a constant. */
      ref(name: string): string;
    };
    /** Writes a line to the log of the call. */
    log(level: "info" | "warn" | "error", message: string, meta?: Record<string, unknown>): void;
  }

  /** One action of a tool. It returns any JSON. */
  export type CustomToolAction<Args = any, Result = unknown> = (args: Args, ctx: CustomToolContext) => Result | Promise<Result>;

  /** A tool that the assistant can call. Export it as the default. */
  export interface CustomTool {
    id?: string;
    actions: { default: CustomToolAction; [name: string]: CustomToolAction };
  }
}
