declare module "@countersign/sdk/automation" {
  /** What a run of an automation's action is told. */
  export interface AutomationContext {
    /** What started the automation. */
    trigger: {
      /** The id of the event, such as "incident.created". */
      event: string;
      /** What the event says: any JSON. */
      payload: Record<string, any>;
    };
    /** What earlier actions of this run made, by the type of the artifact. */
    artifacts: Record<string, any>;
    /** The variables that this run has set, by name. */
    var: Record<string, any>;
    /** Set inside of a repeated block. */
    repeat?: {
      /** The number of this round, from 0. */
      index: number;
      /** The element of this round, when the block repeats over a list: any JSON. */
      item?: any;
    };
    /** The environment variables that the script declares, its secrets among them. In a test a secret is a placeholder. */
    env: Record<string, string>;
    automation: {
      runId: string;
      automationId: string;
      /** What groups runs, such as the id of an incident; "" when nothing does. */
      contextKey: string;
    };
  }

  /** Any JSON. A member `externalId` or `id` becomes the external id of the artifact. */
  export type ActionResult = unknown;

  export type Action = (context: AutomationContext) => ActionResult | Promise<ActionResult>;

  /** Types an action. Export what it returns as the default. */
  export function defineAction(action: Action): Action;
}

/** What this run is told; the same as the argument of the action. */
declare const context: import("@countersign/sdk/automation").AutomationContext;
