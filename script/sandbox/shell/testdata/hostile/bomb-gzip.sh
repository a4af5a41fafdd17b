# class: memory|timeout
head -c 100M /dev/zero | gzip | gunzip > f
