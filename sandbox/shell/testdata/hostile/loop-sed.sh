# class: timeout
echo a | sed ':a;ba'
