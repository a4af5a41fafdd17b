# class: timeout
jq -n '[repeat(1)] | length' > /dev/null; jq -n 'last(range(1e12))'
