# class: memory|timeout|trap
echo 'find f -exec sh {} \;' > f; sh f
