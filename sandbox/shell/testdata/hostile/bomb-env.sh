# class: memory
export A=aaaaaaaaaaaaaaaa; while :; do export A=$A$A; done
