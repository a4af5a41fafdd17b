# class: memory|timeout|trap
echo 'sh f' > f; sh f
