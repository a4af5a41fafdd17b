# class: failed
if true; then echo a
