# class: memory
cat /dev/zero | tac
