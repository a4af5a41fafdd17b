# class: timeout
jq -n 'def f: f; f'
