# class: ok
x=$(head -c 5000 /dev/zero | tr "\0" a); [[ $x =~ ^(a+)+$ ]]; echo $x | grep -E "^(a|aa)+b" ; [[ $x =~ (a*)*b ]]; true
