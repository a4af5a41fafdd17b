import { defineAction } from "@countersign/sdk/automation";

export default defineAction(async ({ trigger, automation }) => {
  console.log(`${trigger.event} started run ${automation.runId}`);
  return { id: automation.runId, handled: trigger.event };
});
