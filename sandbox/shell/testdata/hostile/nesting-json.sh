# class: ok:2|memory|trap
printf '%*s' 9000 '' | tr ' ' '[' | jq . 
