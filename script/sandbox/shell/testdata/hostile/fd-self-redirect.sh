# class: ok|memory|timeout
echo x > f; cat f >> f; cat f > f; wc -c < f
