# class: ok|failed|memory|trap|timeout
s=:; for i in 1 2 3 4 5 6 7 8 9 10 11 12; do s="\$($s; $s)"; done; eval "$s"
