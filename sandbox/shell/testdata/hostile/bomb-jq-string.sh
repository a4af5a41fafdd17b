# class: memory
jq -n '"x" * 1000000000 | length'
