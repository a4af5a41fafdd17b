# class: timeout|stalled|ok
awk 'BEGIN { print "x" | "wait; sleep 100; cat"; close("y") } { print }' | cat
