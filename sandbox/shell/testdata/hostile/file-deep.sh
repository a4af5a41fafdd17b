# class: ok
p=/tmp; for i in $(seq 300); do p=$p/d; done; mkdir -p $p; find /tmp | wc -l; rm -rf /tmp/d
