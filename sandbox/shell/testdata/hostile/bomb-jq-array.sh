# class: memory
jq -n '[range(100000000)] | length'
