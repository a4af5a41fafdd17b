# class: ok|ok:1|failed|memory|trap|timeout
eval "echo $(printf '%*s' 9000 '' | tr ' ' '(' )1$(printf '%*s' 9000 '' | tr ' ' ')')"
