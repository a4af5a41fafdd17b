# class: memory
awk 'BEGIN { while (1) { print "x" > ("f" i++); getline y < ("/dev/zero" i) } }'
