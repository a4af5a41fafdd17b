/** The definition that a new automation begins with: valid as it is. */
export const starter = `# What it does, in a few words.
name: New automation
triggers:
  # Run it by hand. An event such as healthcheck.system_degraded, or a schedule, triggers it too:
  #   - event: automation.cron
  #     config: { cron: "0 8 * * 1-5", zone: Europe/Berlin }
  - event: automation.manual
actions:
  - action: automation.log
    config:
      message: "Triggered by {{ trigger.event }}"
`;
