# class: memory|timeout
jq -n '[range(100000000)] | length'
