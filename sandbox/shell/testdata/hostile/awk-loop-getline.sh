# class: timeout
awk 'BEGIN { while (("yes" | getline line) > 0) n++ }'
