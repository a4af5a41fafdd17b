# class: timeout
for ((;;)); do :; done
