# class: failed
echo "a
