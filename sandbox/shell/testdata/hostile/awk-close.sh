# class: ok
awk 'BEGIN { while (n++ < 200) { "cat" | getline; "yes" | getline; close("yes"); close("cat"); print "x" | "true"; close("true"); print > "/dev/stdout"; close("/dev/stdout") } }' > /dev/null
