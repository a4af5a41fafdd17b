# class: timeout
jq -n '0 | until(false; . + 1 - 1)'
