// outcome: failed

