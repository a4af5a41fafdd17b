# class: ok
test -z "$LD_PRELOAD$LD_LIBRARY_PATH$DYLD_X$NODE_OPTIONS$BUN_X" || exit 9; test "$PATH" = /bin || exit 8; test -z "$SECRET_OF_HOST"
