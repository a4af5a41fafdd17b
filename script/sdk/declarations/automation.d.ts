declare module "@countersign/sdk/automation" {
  /** The context of an automation's action. */
  export interface AutomationContext {
    /** The event that started the automation. */
    trigger: {
      /** The id of the event, such as "incident.created". */
      event: string;
      /** The content of the event: any JSON. */
      payload: Record<string, any>;
    };
    /** The results of earlier actions of this run, by the type of the artifact. */
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
      /** The key that groups runs, such as the id of an incident; "" for none. */
      contextKey: string;
    };
  }

  /** Any JSON. A member `externalId` or `id` becomes the external id of the artifact. */
  export type ActionResult = unknown;

  export type Action = (context: AutomationContext) => ActionResult | Promise<ActionResult>;

  /** Types an action. Export what it returns as the default. */
  export function defineAction(action: Action): Action;
}

/** The context of this run; the same as the argument of the action. */
declare const context: import("@countersign/sdk/automation").AutomationContext;
