# class: timeout
yes
