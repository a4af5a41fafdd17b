# class: ok
echo x > /dev/full; echo y > /dev/sda 2>/dev/null; cat /dev/mem /dev/kmem 2>/dev/null; exit 0
