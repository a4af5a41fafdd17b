# class: memory|timeout
yes | sort
