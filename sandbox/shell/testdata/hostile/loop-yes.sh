# class: timeout
yes > /dev/null
