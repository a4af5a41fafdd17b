# class: ok
PATH=/nowhere; ls > /dev/null; command -v ls; exit 0
