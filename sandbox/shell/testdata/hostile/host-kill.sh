# class: ok|failed
kill -9 1; kill -9 $$; kill -9 -1; exit 0
