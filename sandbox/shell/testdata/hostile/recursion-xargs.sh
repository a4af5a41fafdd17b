# class: memory|timeout|trap
echo 'echo f | xargs sh' > f; sh f
