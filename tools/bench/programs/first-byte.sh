# Runs a program and leaves in a file how many milliseconds it took until the first byte it printed:
# `first-byte.sh FILE PROGRAM ARGS`. What it prints is passed on. Needs bash 5.
times=$1
shift
began=${EPOCHREALTIME/./}
exec 3< <("$@")
LC_ALL=C read -r -N 1 -u 3 first
arrived=${EPOCHREALTIME/./}
printf %s "$first"
cat <&3
echo "$(((arrived - began) / 1000)).$(printf %03d $(((arrived - began) % 1000)))" > "$times"
wait $!
