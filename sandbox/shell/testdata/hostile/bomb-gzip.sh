# class: memory
head -c 100M /dev/zero | gzip | gunzip > f
