# class: ok
echo x 2>/dev/null > /dev/tcp/127.0.0.1/80 && exit 9; cat < /dev/tcp/127.0.0.1/22 2>/dev/null && exit 9; exit 0
