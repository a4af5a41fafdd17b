# class: memory
awk 'BEGIN { while (1) print "x" | ("cat > /dev/null; : " i++) }'
