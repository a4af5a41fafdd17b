# class: ok
unset PATH HOME IFS PWD; ls > /dev/null; cd; exit 0
