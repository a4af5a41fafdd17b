// outcome: failed
return 1
