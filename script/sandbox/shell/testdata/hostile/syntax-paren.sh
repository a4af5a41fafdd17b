# class: failed
echo (
