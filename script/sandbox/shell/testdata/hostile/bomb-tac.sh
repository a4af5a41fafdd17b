# class: memory|timeout
cat /dev/zero | tac
