# class: memory|timeout|trap
echo '. ./f' > f; . ./f
