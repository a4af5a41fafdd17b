# class: ok
cat ../../../../../../etc/passwd 2>/dev/null && exit 9; cd /tmp/../../..; test "$(pwd)" = / || exit 8; ls / | tr "\n" " "
