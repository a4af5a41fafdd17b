# class: timeout
for ((;;)); do continue; done
