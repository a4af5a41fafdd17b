# class: memory|timeout|trap
f='eval "$f"'; eval "$f"
