# class: timeout
echo a | sed ':a;s/a/b/;s/b/a/;ta'
