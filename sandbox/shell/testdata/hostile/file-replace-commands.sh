# class: ok
echo "echo owned" > /bin/ls; chmod +x /bin/ls; grep() { echo mine; }; exit 0
