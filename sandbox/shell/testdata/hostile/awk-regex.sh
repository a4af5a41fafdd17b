# class: ok
x=$(yes a | head -n 3000 | tr -d '\n'); echo "$x!" | awk '/^(a+)+$/ { print 1 } /(a|aa)*$/ { print 2 }'; echo a | awk '{ print match($0, "(a{1000}){1000}") }' || :
