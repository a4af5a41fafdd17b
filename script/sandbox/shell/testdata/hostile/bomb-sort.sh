# class: memory
yes | sort
